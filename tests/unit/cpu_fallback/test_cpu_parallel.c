/*
 * Operations that are divided among threads give the same bytes as on one, whatever the number of
 * threads.
 */
#include <android/NeuralNetworks.h>
#include <stdlib.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/samples.h"
#include "tests/unit/cpu_fallback/kit/team.h"

/* ---- Models of one operation ----------------------------------------------------------------- */

struct layer {
    const char *name;
    int32_t operation;
    uint32_t batch, size, in_c, out_c, filter, stride;
    uint32_t dilation;
    uint32_t groups;
    bool nchw;
};

/* Networks that take so long that other threads are worth it. */
static const struct layer layers[] = {
    {"CONV_2D 3x3", HY_OP_CONV_2D, 3, 31, 17, 37, 3, 1, 1, 1, false},
    {"CONV_2D 3x3 strided", HY_OP_CONV_2D, 4, 47, 19, 33, 3, 2, 1, 1, false},
    {"CONV_2D dilated", HY_OP_CONV_2D, 4, 27, 16, 40, 3, 1, 2, 1, false},
    {"CONV_2D 1x1", HY_OP_CONV_2D, 3, 41, 64, 50, 1, 1, 1, 1, false},
    {"CONV_2D of many weights", HY_OP_CONV_2D, 1, 6, 512, 1040, 1, 1, 1, 1, false},
    {"CONV_2D NCHW", HY_OP_CONV_2D, 4, 23, 24, 32, 3, 1, 1, 1, true},
    {"DEPTHWISE_CONV_2D", HY_OP_DEPTHWISE_CONV_2D, 3, 81, 35, 35, 3, 1, 1, 1, false},
    {"DEPTHWISE_CONV_2D strided", HY_OP_DEPTHWISE_CONV_2D, 3, 61, 64, 64, 5, 2, 1, 1, false},
    {"DEPTHWISE_CONV_2D of one channel", HY_OP_DEPTHWISE_CONV_2D, 3, 81, 1, 41, 3, 1, 1, 1, false},
    {"GROUPED_CONV_2D", HY_OP_GROUPED_CONV_2D, 3, 45, 48, 72, 3, 1, 1, 4, false},
    {"GROUPED_CONV_2D NCHW", HY_OP_GROUPED_CONV_2D, 4, 45, 48, 72, 3, 2, 1, 2, true},
    {"TRANSPOSE_CONV_2D", HY_OP_TRANSPOSE_CONV_2D, 1, 37, 40, 48, 3, 2, 1, 1, false},
    {"TRANSPOSE_CONV_2D of many weights", HY_OP_TRANSPOSE_CONV_2D, 1, 4, 512, 256, 4, 2, 1, 1,
     false},
    {"TRANSPOSE_CONV_2D NCHW", HY_OP_TRANSPOSE_CONV_2D, 2, 21, 40, 48, 4, 2, 1, 1, true},
    {"FULLY_CONNECTED", HY_OP_FULLY_CONNECTED, 1, 1, 1025, 3531, 1, 1, 1, 1, false},
    {"FULLY_CONNECTED of a batch", HY_OP_FULLY_CONNECTED, 37, 1, 515, 771, 1, 1, 1, 1, false},
};

/* Types of input and output, filter and bias. */
struct kind {
    int32_t type, filter_type, bias_type;
    float in_scale, filter_scale, out_scale;
    uint32_t bytes; /* of an element */
};

static const struct kind kinds[] = {
    {ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_FLOAT32,
     0, 0, 0, 4},
    {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
     ANEURALNETWORKS_TENSOR_INT32, .5f, .25f, 40, 1},
    {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED,
     ANEURALNETWORKS_TENSOR_INT32, .5f, .25f, 40, 1},
};

static uint32_t extent_of_output(const struct layer *layer)
{
    const uint32_t covered = (layer->filter - 1) * layer->dilation + 1;

    if (layer->operation == HY_OP_TRANSPOSE_CONV_2D)
        return (layer->size - 1) * layer->stride + layer->filter;
    return (layer->size - covered) / layer->stride + 1;
}

/* A tensor's sides in the order of its layout. */
static struct hy_builder_type image(const struct kind *kind, const struct layer *layer,
                                    uint32_t size, uint32_t channels, float scale)
{
    const uint32_t c = layer->nchw ? 1 : 3, h = layer->nchw ? 2 : 1;
    struct hy_builder_type type = {kind->type, scale, 0, 4, {layer->batch}};

    type.dims[c] = channels;
    type.dims[h] = type.dims[h + 1] = size;
    if (layer->operation == HY_OP_FULLY_CONNECTED) {
        type.rank = 2;
        type.dims[1] = channels;
    }
    return type;
}

static struct hy_builder_type filter_of(const struct kind *kind, const struct layer *layer)
{
    const uint32_t depth = layer->in_c / layer->groups;
    struct hy_builder_type type = {kind->filter_type,
                                   kind->filter_scale,
                                   0,
                                   4,
                                   {layer->out_c, layer->filter, layer->filter, depth}};

    if (layer->operation == HY_OP_DEPTHWISE_CONV_2D) {
        type.dims[0] = 1;
        type.dims[3] = layer->out_c;
    } else if (layer->operation == HY_OP_FULLY_CONNECTED) {
        type.rank = 2;
        type.dims[1] = layer->in_c;
    }
    return type;
}

static uint64_t count_of(const struct hy_builder_type *type)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < type->rank; i++)
        count *= type->dims[i];
    return count;
}

/* Floats in [-1, 1), or any bytes. */
static void *make_numbers(const struct kind *kind, uint64_t count, uint32_t seed)
{
    float *floats = malloc(count * sizeof *floats);

    if (!floats)
        abort();
    hy_sample_numbers(seed, (uint32_t)count, floats);
    for (uint64_t i = 0; kind->bytes == 1 && i < count; i++)
        ((int8_t *)floats)[i] = (int8_t)(floats[i] * 128); /* never ahead of what is read */
    return floats;
}

/* The operands behind input, filter and bias: explicit padding of 0. */
static uint32_t add_scalars(struct hy_builder *builder, const struct layer *layer, uint32_t *inputs)
{
    const int32_t stride = (int32_t)layer->stride, dilation = (int32_t)layer->dilation;
    uint32_t count = 3;

    if (layer->operation != HY_OP_FULLY_CONNECTED) {
        for (int i = 0; i < 4; i++)
            inputs[count++] = hy_builder_int(builder, 0);
        inputs[count++] = hy_builder_int(builder, stride);
        inputs[count++] = hy_builder_int(builder, stride);
    }
    if (layer->operation == HY_OP_DEPTHWISE_CONV_2D)
        inputs[count++] = hy_builder_int(builder, (int32_t)(layer->out_c / layer->in_c));
    if (layer->operation == HY_OP_GROUPED_CONV_2D)
        inputs[count++] = hy_builder_int(builder, (int32_t)layer->groups);
    inputs[count++] = hy_builder_int(builder, ANEURALNETWORKS_FUSED_RELU);
    if (layer->operation != HY_OP_FULLY_CONNECTED)
        inputs[count++] = hy_builder_bool(builder, layer->nchw);
    if (layer->operation == HY_OP_CONV_2D || layer->operation == HY_OP_DEPTHWISE_CONV_2D) {
        inputs[count++] = hy_builder_int(builder, dilation);
        inputs[count++] = hy_builder_int(builder, dilation);
    }
    return count;
}

static void build(struct hy_builder *builder, const struct layer *layer, const struct kind *kind)
{
    const struct hy_builder_type in = image(kind, layer, layer->size, layer->in_c, kind->in_scale);
    const struct hy_builder_type out =
        image(kind, layer, extent_of_output(layer), layer->out_c, kind->out_scale);
    const struct hy_builder_type filter = filter_of(kind, layer);
    const struct hy_builder_type bias = {
        kind->bias_type, kind->in_scale * kind->filter_scale, 0, 1, {layer->out_c}};
    void *weights = make_numbers(kind, count_of(&filter), 1);
    int32_t *zeros = calloc(layer->out_c, sizeof *zeros);
    uint32_t inputs[16], y;

    if (!zeros)
        abort();
    hy_builder_init(builder);
    y = hy_builder_output(builder, &out);
    inputs[0] = hy_builder_input(builder, &in);
    inputs[1] = hy_builder_constant(builder, &filter, weights, count_of(&filter) * kind->bytes);
    inputs[2] = hy_builder_constant(builder, &bias, zeros, layer->out_c * sizeof *zeros);
    hy_builder_operation(builder, layer->operation, add_scalars(builder, layer, inputs), inputs, 1,
                         &y);
    free(weights);
    free(zeros);
}

/* ---- The tests ------------------------------------------------------------------------------- */

/* The output of a team. */
static void run_by(struct team *team, struct hy_builder *builder, const void *in, uint64_t in_bytes,
                   void *out, uint64_t out_bytes)
{
    const struct hy_host host = team_host(team);
    struct hy_runner runner;

    EXPECT_INT(hy_runner_open_on(&runner, &host, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(builder)), HY_STATUS_OK);
    hy_runner_input(&runner, in, in_bytes, 0, NULL);
    hy_runner_output(&runner, out, out_bytes, 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    if (*runner.message)
        hy_test_fail(__FILE__, __LINE__, "%s", runner.message);
    hy_runner_close(&runner);
}

/* The output on so many threads; gives how often they were used. */
static uint32_t run_on(uint32_t threads, struct hy_builder *builder, const void *in,
                       uint64_t in_bytes, void *out, uint64_t out_bytes)
{
    struct team team = {.threads = threads};

    run_by(&team, builder, in, in_bytes, out, out_bytes);
    return team.calls;
}

static void compare(const struct layer *layer, const struct kind *kind)
{
    static const uint32_t threads[] = {2, 3, 5, 8, 16, 64};
    const struct hy_builder_type in = image(kind, layer, layer->size, layer->in_c, 0);
    const struct hy_builder_type out = image(kind, layer, extent_of_output(layer), layer->out_c, 0);
    const uint64_t in_bytes = count_of(&in) * kind->bytes, bytes = count_of(&out) * kind->bytes;
    void *numbers = make_numbers(kind, count_of(&in), 2);
    char *alone = calloc(1, bytes), *together = malloc(bytes);
    struct hy_builder builder;
    REQUIRE(alone && together);

    build(&builder, layer, kind);
    EXPECT_INT(run_on(1, &builder, numbers, in_bytes, alone, bytes), 0);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        memset(together, 0x55, bytes);
        const uint32_t calls = run_on(threads[i], &builder, numbers, in_bytes, together, bytes);
        if (calls != 1 || memcmp(alone, together, bytes) != 0)
            hy_test_fail(__FILE__, __LINE__, "%s of type %d on %u threads: shared %u times, %s",
                         layer->name, kind->type, threads[i], calls,
                         memcmp(alone, together, bytes) ? "other bytes" : "the same bytes");
    }
    hy_builder_finish(&builder);
    free(numbers);
    free(alone);
    free(together);
}

TEST(cpu_parallel, threads_share_convolutions_and_the_bytes_are_those_of_one)
{
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            compare(&layers[i], &kinds[k]);
}

/* Nobody else comes, not even for the task that is theirs. */
TEST(cpu_parallel, a_thread_does_the_parts_of_those_that_do_not_come)
{
    const struct layer layer = {"many weights", HY_OP_CONV_2D, 1, 16, 512, 1040, 1, 1, 1, 1, false};
    const uint64_t pixels = layer.size * layer.size, bytes = pixels * layer.out_c * sizeof(float);
    const uint64_t in_bytes = pixels * layer.in_c * sizeof(float);
    void *numbers = make_numbers(&kinds[0], pixels * layer.in_c, 2);
    char *alone = calloc(1, bytes), *together = malloc(bytes);
    struct team team = {.threads = 2, .does_first_only = true};
    struct hy_builder builder;
    REQUIRE(alone && together);

    build(&builder, &layer, &kinds[0]);
    EXPECT_INT(run_on(1, &builder, numbers, in_bytes, alone, bytes), 0);
    memset(together, 0x55, bytes);
    run_by(&team, &builder, numbers, in_bytes, together, bytes);
    EXPECT_INT(team.calls, 1);
    EXPECT(memcmp(alone, together, bytes) == 0);
    hy_builder_finish(&builder);
    free(numbers);
    free(alone);
    free(together);
}

/* The second input is one row, or as large as the first. */
static void compare_sums(const struct kind *kind, uint32_t rows)
{
    const struct hy_builder_type all = {kind->type, kind->in_scale, 0, 2, {1401, 1031}};
    const struct hy_builder_type some = {kind->type, kind->in_scale, 0, 2, {rows, 1031}};
    const uint64_t bytes = count_of(&all) * kind->bytes;
    void *numbers = make_numbers(kind, count_of(&all), 3);
    char *alone = calloc(1, bytes), *together = malloc(bytes);
    struct hy_builder builder;
    uint32_t inputs[3], y;
    REQUIRE(alone && together);

    hy_builder_init(&builder);
    y = hy_builder_output(&builder, &all);
    inputs[0] = hy_builder_input(&builder, &all);
    inputs[1] = hy_builder_constant(&builder, &some, numbers, count_of(&some) * kind->bytes);
    inputs[2] = hy_builder_int(&builder, ANEURALNETWORKS_FUSED_NONE);
    hy_builder_operation(&builder, HY_OP_ADD, 3, inputs, 1, &y);
    EXPECT_INT(run_on(1, &builder, numbers, bytes, alone, bytes), 0);
    memset(together, 0x55, bytes);
    EXPECT_INT(run_on(3, &builder, numbers, bytes, together, bytes), 1);
    EXPECT(memcmp(alone, together, bytes) == 0);
    hy_builder_finish(&builder);
    free(numbers);
    free(alone);
    free(together);
}

TEST(cpu_parallel, threads_share_sums_and_the_bytes_are_those_of_one)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        compare_sums(&kinds[k], 1);
        compare_sums(&kinds[k], 1401);
    }
}

/* A condition for each row, and one row as the other side. */
TEST(cpu_parallel, threads_share_selections_that_broadcast_and_the_bytes_are_those_of_one)
{
    const struct hy_builder_type all = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1401, 1031}};
    const struct hy_builder_type row = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {1031}};
    const struct hy_builder_type rows = {ANEURALNETWORKS_TENSOR_BOOL8, 0, 0, 2, {1401, 1}};
    const uint64_t count = count_of(&all), bytes = count * sizeof(float);
    float *numbers = make_numbers(&kinds[0], count, 3);
    float *alone = calloc(1, bytes), *together = malloc(bytes);
    uint8_t conditions[1401];
    struct hy_builder builder;
    uint32_t inputs[3], y;
    REQUIRE(alone && together);

    for (size_t i = 0; i < sizeof conditions; i++)
        conditions[i] = i % 3 == 0;
    hy_builder_init(&builder);
    y = hy_builder_output(&builder, &all);
    inputs[0] = hy_builder_constant(&builder, &rows, conditions, sizeof conditions);
    inputs[1] = hy_builder_input(&builder, &all);
    inputs[2] = hy_builder_constant(&builder, &row, numbers, 1031 * sizeof(float));
    hy_builder_operation(&builder, HY_EXT_SELECT, 3, inputs, 1, &y);
    EXPECT_INT(run_on(1, &builder, numbers, bytes, alone, bytes), 0);
    EXPECT_INT(run_on(3, &builder, numbers, bytes, together, bytes), 1);
    for (uint64_t i = 0; i < count; i++)
        if (alone[i] != (i / 1031 % 3 == 0 ? numbers[i] : numbers[i % 1031]))
            hy_test_fail(__FILE__, __LINE__, "element %u is %.9g", (unsigned)i, (double)alone[i]);
    EXPECT(memcmp(alone, together, bytes) == 0);
    hy_builder_finish(&builder);
    free(numbers);
    free(alone);
    free(together);
}

/* Operations on single elements. */
static const struct {
    int32_t operation, in_type, out_type;
} elementwise[] = {
    {HY_OP_RELU6, ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_FLOAT32},
    {HY_OP_LOGISTIC, ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_FLOAT32},
    {HY_OP_LOGISTIC, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM},
    {HY_OP_QUANTIZE, ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM},
    {HY_OP_DEQUANTIZE, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, ANEURALNETWORKS_TENSOR_FLOAT32},
    {HY_OP_CAST, ANEURALNETWORKS_TENSOR_INT32, ANEURALNETWORKS_TENSOR_FLOAT32},
    {HY_OP_CAST, ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_FLOAT32},
    {HY_OP_SELECT, ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_FLOAT32},
};

static struct hy_builder_type elements_of(int32_t type, uint32_t count)
{
    const bool has_scale = type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
    return (struct hy_builder_type){type, has_scale ? 1.f / 256 : 0, 0, 1, {count}};
}

/* SELECT has an input, and its condition and other side as constants. */
static void build_elementwise(struct hy_builder *builder, size_t index, uint32_t count,
                              const void *numbers)
{
    const int32_t operation = elementwise[index].operation;
    const struct hy_builder_type in = elements_of(elementwise[index].in_type, count);
    const struct hy_builder_type out = elements_of(elementwise[index].out_type, count);
    const struct hy_builder_type bools = elements_of(ANEURALNETWORKS_TENSOR_BOOL8, count);
    uint32_t inputs[3], used = 0, y;

    hy_builder_init(builder);
    if (operation == HY_OP_SELECT)
        inputs[used++] = hy_builder_constant(builder, &bools, numbers, count);
    inputs[used++] = hy_builder_input(builder, &in);
    if (operation == HY_OP_SELECT)
        inputs[used++] = hy_builder_constant(builder, &in, numbers, count * sizeof(float));
    y = hy_builder_output(builder, &out);
    hy_builder_operation(builder, operation, used, inputs, 1, &y);
}

/* A count that is no multiple of any vector or piece. */
TEST(cpu_parallel, threads_share_elements_and_the_bytes_are_those_of_one)
{
    enum { COUNT = 1400003 };
    static const uint32_t threads[] = {2, 3, 16};
    float *numbers = make_numbers(&kinds[0], COUNT, 3), *in = make_numbers(&kinds[0], COUNT, 4);
    char *alone = malloc(COUNT * sizeof(float)), *together = malloc(COUNT * sizeof(float));
    REQUIRE(alone && together);

    for (size_t i = 0; i < sizeof elementwise / sizeof *elementwise; i++) {
        const bool in_bytes = elementwise[i].in_type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
        const bool out_bytes = elementwise[i].out_type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
        const uint64_t in_size = COUNT * (in_bytes ? 1 : sizeof(float));
        const uint64_t out_size = COUNT * (out_bytes ? 1 : sizeof(float));
        struct hy_builder builder;
        build_elementwise(&builder, i, COUNT, numbers);
        memset(alone, 0, out_size);
        EXPECT_INT(run_on(1, &builder, in, in_size, alone, out_size), 0);
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            memset(together, 0x55, out_size);
            EXPECT_INT(run_on(threads[t], &builder, in, in_size, together, out_size), 1);
            EXPECT(memcmp(alone, together, out_size) == 0);
        }
        hy_builder_finish(&builder);
    }
    free(numbers);
    free(in);
    free(alone);
    free(together);
}

/* Shapes of tensors whose elements are moved: with many rows for each thread, and with few. */
static const uint32_t moved[][3] = {{3, 1101, 1031}, {1, 170001, 21}};

/* Adds the operation, and gives the type of its output. */
static struct hy_builder_type add_move(struct hy_builder *builder, int32_t operation,
                                       const struct hy_builder_type *in)
{
    static const int32_t order[] = {0, 2, 1}, pads[] = {0, 0, 1, 2, 3, 0};
    const struct hy_builder_type order_type = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {3}};
    const struct hy_builder_type pads_type = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 2, {3, 2}};
    struct hy_builder_type out = *in;
    uint32_t inputs[3], count = 1, y;

    inputs[0] = hy_builder_input(builder, in);
    if (operation == HY_OP_TRANSPOSE) {
        inputs[count++] = hy_builder_constant(builder, &order_type, order, sizeof order);
        out.dims[1] = in->dims[2];
        out.dims[2] = in->dims[1];
    } else if (operation == HY_OP_PAD) {
        inputs[count++] = hy_builder_constant(builder, &pads_type, pads, sizeof pads);
        out.dims[1] += 3;
        out.dims[2] += 3;
    } else {
        inputs[count++] = inputs[0];
        inputs[count++] = hy_builder_int(builder, 2);
        out.dims[2] *= 2;
    }
    y = hy_builder_output(builder, &out);
    hy_builder_operation(builder, operation, count, inputs, 1, &y);
    return out;
}

static void compare_moves(const struct kind *kind, int32_t operation, const uint32_t *dims,
                          uint32_t threads)
{
    const struct hy_builder_type in = {
        kind->type, kind->in_scale, 0, 3, {dims[0], dims[1], dims[2]}};
    const uint64_t in_bytes = count_of(&in) * kind->bytes;
    void *numbers = make_numbers(kind, count_of(&in), 4);
    struct hy_builder builder;

    hy_builder_init(&builder);
    const struct hy_builder_type out = add_move(&builder, operation, &in);
    const uint64_t bytes = count_of(&out) * kind->bytes;
    char *alone = calloc(1, bytes), *together = malloc(bytes);
    REQUIRE(alone && together);
    EXPECT_INT(run_on(1, &builder, numbers, in_bytes, alone, bytes), 0);
    memset(together, 0x55, bytes);
    EXPECT_INT(run_on(threads, &builder, numbers, in_bytes, together, bytes), 1);
    EXPECT(memcmp(alone, together, bytes) == 0);
    hy_builder_finish(&builder);
    free(numbers);
    free(alone);
    free(together);
}

TEST(cpu_parallel, threads_share_what_is_moved_and_the_bytes_are_those_of_one)
{
    static const int32_t operations[] = {HY_OP_TRANSPOSE, HY_OP_PAD, HY_OP_CONCATENATION};

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
            for (size_t shape = 0; shape < sizeof moved / sizeof *moved; shape++) {
                compare_moves(&kinds[k], operations[i], moved[shape], 2);
                compare_moves(&kinds[k], operations[i], moved[shape], 7);
            }
}

/* Too small for two tasks that are worth it. */
TEST(cpu_parallel, small_operations_run_on_one_thread)
{
    static const struct layer small[] = {
        {"CONV_2D", HY_OP_CONV_2D, 1, 8, 8, 8, 3, 1, 1, 1, false},
        {"DEPTHWISE_CONV_2D", HY_OP_DEPTHWISE_CONV_2D, 1, 16, 8, 8, 3, 1, 1, 1, false},
        {"FULLY_CONNECTED", HY_OP_FULLY_CONNECTED, 1, 1, 128, 128, 1, 1, 1, 1, false},
    };

    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        float in[8 * 16 * 16] = {0}, out[8 * 16 * 16];
        struct hy_builder builder;
        const struct hy_builder_type x =
            image(&kinds[0], &small[i], small[i].size, small[i].in_c, 0);
        const struct hy_builder_type y =
            image(&kinds[0], &small[i], extent_of_output(&small[i]), small[i].out_c, 0);
        build(&builder, &small[i], &kinds[0]);
        EXPECT_INT(run_on(TEAM_MOST_THREADS, &builder, in, count_of(&x) * 4, out, count_of(&y) * 4),
                   0);
        hy_builder_finish(&builder);
    }
}
