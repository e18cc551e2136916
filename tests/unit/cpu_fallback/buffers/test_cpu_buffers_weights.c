/* Weights in memory of halyard-cpu: they are packed for what it holds, and not for each run. */
#include "tests/unit/cpu_fallback/kit/buffers_fixture.h"

#include "cpu_fallback/cpu_device.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

#include <android/NeuralNetworks.h>

#define INPUTS  24u
#define UNITS   40u
#define WEIGHTS (UNITS * INPUTS)

/* ---- Kernels that count ---------------------------------------------------------------------- */

static hy_conv_pack_fn *real_pack;
static uint32_t packings;

static void count_and_pack(const struct hy_conv_params *params, const void *filter,
                           const void *bias, void *packed)
{
    packings++;
    real_pack(params, filter, bias, packed);
}

static uint32_t packings_since(uint32_t before)
{
    return packings - before;
}

/* ---- Models ---------------------------------------------------------------------------------- */

enum { IN, FILTER, BIAS };

/* FULLY_CONNECTED, all three an input; `count` outputs, of as many activations. */
struct dense {
    struct hy_kernel_table kernels;
    struct hy_cpu_device device;
    struct workshop workshop;
    struct buffer weights;
    float in[INPUTS], filter[WEIGHTS], bias[UNITS], out[2][UNITS], want[2][UNITS];
    uint32_t filter_dims[2];
};

/* False: there are no kernels here that pack. `units` 0: as many as the weights have. */
static bool dense_open(struct dense *dense, uint32_t count, uint32_t units)
{
    static const int32_t activations[] = {ANEURALNETWORKS_FUSED_NONE, ANEURALNETWORKS_FUSED_RELU};
    const struct hy_builder_type row = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, INPUTS}};
    const struct hy_builder_type matrix = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {units, INPUTS}};
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {units}};
    const struct hy_builder_type output_type = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, units}};
    static const struct hy_buffer_role role = {0, 0, FILTER, 1};
    struct hy_runner *runner = &dense->workshop.runner;
    struct hy_builder *builder = &dense->workshop.builder;

    dense->kernels = *hy_kernels_fast();
    real_pack = dense->kernels.conv[HY_ELEMENT_F32].pack;
    if (!real_pack)
        return false;
    dense->kernels.conv[HY_ELEMENT_F32].pack = count_and_pack;
    hy_cpu_device_init(&dense->device, "counting-cpu", hy_test_host(), &dense->kernels, 1, 1);
    hy_builder_init(builder);
    uint32_t inputs[] = {hy_builder_input(builder, &row), hy_builder_input(builder, &matrix),
                         hy_builder_input(builder, &list), 0};
    for (uint32_t i = 0; i < count; i++) {
        inputs[3] = hy_builder_int(builder, activations[i]);
        const uint32_t output = hy_builder_output(builder, &output_type);
        hy_builder_operation(builder, ANEURALNETWORKS_FULLY_CONNECTED, 4, inputs, 1, &output);
    }
    *runner = (struct hy_runner){.table = &hy_cpu_device_table_with_buffers,
                                 .device = &dense->device,
                                 .deadline = HY_NO_DEADLINE};
    EXPECT_INT(hy_runner_prepare(runner, hy_builder_model(builder)), HY_STATUS_OK);
    EXPECT_INT(buffer_make(&dense->workshop, runner->prepared, &role, 1, 0, NULL, &dense->weights),
               HY_STATUS_OK);
    hy_sample_numbers(1, INPUTS, dense->in);
    hy_sample_numbers(2, WEIGHTS, dense->filter);
    hy_sample_numbers(3, UNITS, dense->bias);
    return true;
}

static void dense_close(struct dense *dense)
{
    buffer_destroy(&dense->weights);
    workshop_close(&dense->workshop);
    hy_token_table_finish(&dense->device.buffers.tokens);
}

/* `outs`: `count` of them. */
static void set_request(struct dense *dense, uint32_t count, float (*outs)[UNITS], uint32_t units)
{
    struct hy_runner *runner = &dense->workshop.runner;

    dense->filter_dims[0] = units;
    dense->filter_dims[1] = INPUTS;
    hy_runner_clear(runner);
    hy_runner_input(runner, dense->in, sizeof dense->in, 0, NULL);
    hy_runner_input(runner, dense->filter, units * INPUTS * sizeof(float), 2, dense->filter_dims);
    hy_runner_input(runner, dense->bias, units * sizeof(float), 1, dense->filter_dims);
    for (uint32_t i = 0; i < count; i++)
        hy_runner_output(runner, outs[i], units * sizeof(float), 0, NULL);
}

/* A run with the weights in the buffer gives what one gives that has them in memory, to the bit.
 * Tells how often the first has packed. */
static uint32_t run(struct dense *dense, uint32_t count, uint32_t units)
{
    set_request(dense, count, dense->want, units);
    EXPECT_INT(hy_runner_execute(&dense->workshop.runner), HY_STATUS_OK);
    set_request(dense, count, dense->out, units);
    workshop_use(&dense->workshop, false, FILTER, dense->weights.token);
    memset(dense->out, 0, sizeof dense->out);
    const uint32_t before = packings;
    EXPECT_INT(hy_runner_execute(&dense->workshop.runner), HY_STATUS_OK);
    for (uint32_t i = 0; i < count; i++)
        EXPECT(memcmp(dense->out[i], dense->want[i], units * sizeof(float)) == 0);
    return packings_since(before);
}

static void write_weights(struct dense *dense, uint32_t seed, uint32_t units)
{
    const uint32_t dims[] = {units, INPUTS};
    const struct hy_pool pool = {.kind = HY_POOL_HOST,
                                 .protection = HY_PROTECT_READ,
                                 .fd = -1,
                                 .size = units * INPUTS * sizeof(float),
                                 .address = dense->filter};

    hy_sample_numbers(seed, WEIGHTS, dense->filter);
    EXPECT_INT(dense->weights.table->buffer_copy_from(dense->weights.buffer, &pool, dims, 2),
               HY_STATUS_OK);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

TEST(cpu_buffers_weights, weights_are_packed_once_and_not_per_execution)
{
    static struct dense dense;

    if (!dense_open(&dense, 1, UNITS))
        return;
    write_weights(&dense, 5, UNITS);
    EXPECT_INT(run(&dense, 1, UNITS), 1);
    for (uint32_t i = 0; i < 10; i++) {
        hy_sample_numbers(100 + i, INPUTS, dense.in); /* other inputs */
        EXPECT_INT(run(&dense, 1, UNITS), 0);
    }
    dense_close(&dense);
}

TEST(cpu_buffers_weights, weights_are_packed_anew_for_what_is_written)
{
    static struct dense dense;

    if (!dense_open(&dense, 1, UNITS))
        return;
    for (uint32_t seed = 1; seed < 6; seed++) {
        write_weights(&dense, seed, UNITS);
        EXPECT_INT(run(&dense, 1, UNITS), 1);
        EXPECT_INT(run(&dense, 1, UNITS), 0);
    }
    hy_sample_numbers(77, UNITS, dense.bias); /* which is packed with them */
    EXPECT_INT(run(&dense, 1, UNITS), 1);
    EXPECT_INT(run(&dense, 1, UNITS), 0);
    dense_close(&dense);
}

/* They are packed in different ways for the two: each has its own, or makes them anew. */
TEST(cpu_buffers_weights, operations_that_share_weights_keep_apart)
{
    static struct dense dense;

    if (!dense_open(&dense, 2, UNITS))
        return;
    write_weights(&dense, 5, UNITS);
    for (uint32_t i = 0; i < 3; i++)
        (void)run(&dense, 2, UNITS);
    dense_close(&dense);
}

TEST(cpu_buffers_weights, weights_of_open_shape_may_change_it)
{
    static const uint32_t units[] = {16, UNITS, 3, UNITS, 16};
    static struct dense dense;

    if (!dense_open(&dense, 1, 0))
        return;
    for (uint32_t i = 0; i < sizeof units / sizeof *units; i++) {
        write_weights(&dense, i, units[i]);
        EXPECT_INT(run(&dense, 1, units[i]), 1);
        EXPECT_INT(run(&dense, 1, units[i]), 0);
    }
    dense_close(&dense);
}

TEST(cpu_buffers_weights, reusable_execution_uses_what_was_packed)
{
    static struct dense dense;
    void *reusable = NULL;

    if (!dense_open(&dense, 1, UNITS))
        return;
    write_weights(&dense, 5, UNITS);
    EXPECT_INT(run(&dense, 1, UNITS), 1);
    REQUIRE(hy_runner_reuse(&dense.workshop.runner, &reusable) == HY_STATUS_OK);
    const uint32_t before = packings;
    for (uint32_t i = 0; i < 5; i++) {
        memset(dense.out, 0, sizeof dense.out);
        EXPECT_INT(hy_runner_execute_reused(&dense.workshop.runner, reusable), HY_STATUS_OK);
        EXPECT(memcmp(dense.out[0], dense.want[0], sizeof dense.want[0]) == 0);
    }
    EXPECT_INT(packings_since(before), 0);
    dense.workshop.runner.table->reusable_destroy(reusable);
    dense_close(&dense);
}

/* Weights that a model computes: each of its executions counts as writing. */
TEST(cpu_buffers_weights, weights_that_an_execution_has_written_are_packed_anew)
{
    const struct hy_builder_type matrix = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {UNITS, INPUTS}};
    const struct hy_buffer_role roles[] = {{0, 0, FILTER, 1}, {1, 1, 0, 1}};
    static struct dense dense;
    struct hy_builder builder;

    if (!dense_open(&dense, 1, UNITS))
        return;
    hy_builder_init(&builder);
    const uint32_t in = hy_builder_input(&builder, &matrix);
    const uint32_t out = hy_builder_output(&builder, &matrix);
    hy_builder_operation(&builder, ANEURALNETWORKS_RELU, 1, &in, 1, &out);
    struct hy_runner maker = dense.workshop.runner;
    maker.prepared = NULL;
    EXPECT_INT(hy_runner_prepare(&maker, hy_builder_model(&builder)), HY_STATUS_OK);
    void *prepared[] = {dense.workshop.runner.prepared, maker.prepared};
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .prepared = prepared,
                                        .roles = roles,
                                        .prepared_count = 2,
                                        .role_count = 2};
    buffer_destroy(&dense.weights);
    EXPECT_INT(maker.table->buffer_create(maker.device, &desc, &dense.weights.token,
                                          &dense.weights.buffer),
               HY_STATUS_OK);
    for (uint32_t seed = 1; seed < 4; seed++) {
        hy_sample_numbers(seed, WEIGHTS, dense.filter);
        for (uint32_t i = 0; i < WEIGHTS; i++)
            dense.filter[i] = dense.filter[i] < 0 ? -dense.filter[i] : dense.filter[i];
        hy_runner_clear(&maker);
        hy_runner_input(&maker, dense.filter, sizeof dense.filter, 0, NULL);
        hy_runner_output(&maker, NULL, 0, 0, NULL);
        struct workshop other = {.runner = maker};
        workshop_use(&other, true, 0, dense.weights.token);
        EXPECT_INT(hy_runner_execute(&other.runner), HY_STATUS_OK);
        EXPECT_INT(run(&dense, 1, UNITS), 1);
        EXPECT_INT(run(&dense, 1, UNITS), 0);
    }
    buffer_destroy(&dense.weights);
    maker.table->prepared_destroy(maker.prepared);
    hy_builder_finish(&builder);
    dense_close(&dense);
}
