/* Memory of halyard-cpu: what it is made for. Requests with it are in test_cpu_buffers_requests.c,
 * copies in test_cpu_buffers_copies.c. */
#include "tests/unit/cpu_fallback/kit/buffers_fixture.h"

#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <math.h>

static const struct hy_buffer_role first_input = {0, 0, 0, 1};

static void expect_make(struct workshop *workshop, int32_t status,
                        const struct hy_buffer_role *roles, uint32_t count, uint32_t rank,
                        const uint32_t *dims)
{
    struct buffer buffer;

    EXPECT_INT(buffer_make(workshop, workshop->runner.prepared, roles, count, rank, dims, &buffer),
               status);
    EXPECT((buffer.buffer != NULL) == (status == HY_STATUS_OK)); /* written on success only */
    EXPECT((buffer.token != 0) == (status == HY_STATUS_OK));
    buffer_destroy(&buffer);
}

TEST(cpu_buffers, only_halyard_cpu_keeps_them)
{
    struct hy_runner runner;

    for (uint32_t i = 0; i < 2; i++) {
        REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), i) == HY_STATUS_OK);
        EXPECT((runner.table->buffer_create != NULL) == (i == 0));
        EXPECT((runner.table->buffer_copy_from != NULL) == (i == 0));
        EXPECT((runner.table->buffer_copy_to != NULL) == (i == 0));
        EXPECT((runner.table->buffer_destroy != NULL) == (i == 0));
        hy_runner_close(&runner);
    }
}

TEST(cpu_buffers, roles_are_checked)
{
    static const struct {
        struct hy_buffer_role roles[2];
        uint32_t count;
        bool is_fine;
    } cases[] = {
        {{{0, 0, 0, 1}}, 1, true},
        {{{0, 1, 1, .001f}}, 1, true},
        {{{0, 0, 0, 1}, {0, 1, 0, 1}}, 2, true},
        {{{0, 0, 0, 1}}, 0, false},                 /* none */
        {{{1, 0, 0, 1}}, 1, false},                 /* a model that there is not */
        {{{UINT32_MAX, 0, 0, 1}}, 1, false},        /* the same */
        {{{0, 0, 2, 1}}, 1, false},                 /* an input that there is not */
        {{{0, 1, 2, 1}}, 1, false},                 /* an output that there is not */
        {{{0, 0, UINT32_MAX, 1}}, 1, false},        /* the same */
        {{{0, 2, 0, 1}}, 1, false},                 /* neither input nor output */
        {{{0, 0, 0, 0}}, 1, false},                 /* a frequency outside of (0, 1] */
        {{{0, 0, 0, -.5f}}, 1, false},              /* the same */
        {{{0, 0, 0, 1.001f}}, 1, false},            /* the same */
        {{{0, 0, 0, NAN}}, 1, false},               /* the same */
        {{{0, 0, 0, INFINITY}}, 1, false},          /* the same */
        {{{0, 0, 1, 1}, {0, 0, 1, 1}}, 2, false},   /* one role twice */
        {{{0, 1, 1, 1}, {0, 1, 1, .5f}}, 2, false}, /* the same */
    };
    struct workshop workshop;

    workshop_open(&workshop, EXTENT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_make(&workshop, cases[i].is_fine ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT,
                    cases[i].roles, cases[i].count, 0, NULL);
    workshop_close(&workshop);
}

TEST(cpu_buffers, dimensions_of_description_and_roles_go_together)
{
    static const uint32_t fitting = EXTENT, open = 0, other = EXTENT + 1, two[] = {2, 2};
    static uint32_t many[HY_MAX_RANK + 1];
    struct workshop workshop;

    workshop_open(&workshop, EXTENT);
    expect_make(&workshop, HY_STATUS_OK, &first_input, 1, 1, &fitting);
    expect_make(&workshop, HY_STATUS_OK, &first_input, 1, 1, &open);
    expect_make(&workshop, HY_STATUS_INVALID_ARGUMENT, &first_input, 1, 1, &other);
    expect_make(&workshop, HY_STATUS_INVALID_ARGUMENT, &first_input, 1, 2, two);
    expect_make(&workshop, HY_STATUS_INVALID_ARGUMENT, &first_input, 1, HY_MAX_RANK + 1, many);
    expect_make(&workshop, HY_STATUS_INVALID_ARGUMENT, &first_input, 1, UINT32_MAX, many);
    expect_make(&workshop, HY_STATUS_INVALID_ARGUMENT, &first_input, 1, 1, NULL);
    workshop_close(&workshop);
    workshop_open(&workshop, 0);
    expect_make(&workshop, HY_STATUS_OK, &first_input, 1, 1, &other);
    expect_make(&workshop, HY_STATUS_OK, &first_input, 1, 0, NULL);
    expect_make(&workshop, HY_STATUS_INVALID_ARGUMENT, &first_input, 1, 2, two);
    workshop_close(&workshop);
}

TEST(cpu_buffers, descriptions_that_lack_something_are_refused)
{
    struct workshop workshop;
    uint32_t token = 7;
    void *buffer = &token;

    workshop_open(&workshop, EXTENT);
    const struct hy_device *table = workshop.runner.table;
    void *device = workshop.runner.device, *prepared = workshop.runner.prepared, *nothing = NULL;
    const struct hy_buffer_desc good = {.struct_size = sizeof good,
                                        .prepared = &prepared,
                                        .roles = &first_input,
                                        .prepared_count = 1,
                                        .role_count = 1};
    struct hy_buffer_desc bad[] = {good, good, good, good, good};
    bad[0].struct_size = sizeof good - 1;
    bad[1].prepared_count = 0;
    bad[2].prepared = NULL;
    bad[3].roles = NULL;
    bad[4].prepared = &nothing;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT_INT(table->buffer_create(device, &bad[i], &token, &buffer),
                   HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(table->buffer_create(device, NULL, &token, &buffer), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(table->buffer_create(device, &good, NULL, &buffer), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(table->buffer_create(device, &good, &token, NULL), HY_STATUS_INVALID_ARGUMENT);
    EXPECT(token == 7 && buffer == &token);
    workshop_close(&workshop);
}

/* Each has one input and one output, as described; the two are made for one buffer. */
static void expect_together(const struct hy_builder_type *one, const struct hy_builder_type *other,
                            int32_t operation, int32_t status)
{
    const struct hy_builder_type *types[] = {one, other};
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};
    const struct hy_buffer_role roles[] = {{0, 0, 0, 1}, {1, 0, 0, 1}};
    struct hy_builder builders[2];
    struct hy_runner runner;
    void *prepared[2] = {NULL, NULL}, *buffer = NULL;
    uint32_t token = 0;

    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
    for (uint32_t i = 0; i < 2; i++) {
        hy_builder_init(&builders[i]);
        const uint32_t in = hy_builder_input(&builders[i], types[i]);
        const uint32_t out = hy_builder_output(&builders[i], types[i]);
        hy_builder_operation(&builders[i], operation, 1, &in, 1, &out);
        EXPECT_INT(runner.table->prepare(runner.device, hy_builder_model(&builders[i]), &options,
                                         &prepared[i]),
                   HY_STATUS_OK);
    }
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .prepared = prepared,
                                        .roles = roles,
                                        .prepared_count = 2,
                                        .role_count = 2};
    EXPECT_INT(runner.table->buffer_create(runner.device, &desc, &token, &buffer), status);
    if (buffer)
        runner.table->buffer_destroy(buffer);
    for (uint32_t i = 0; i < 2; i++) {
        runner.table->prepared_destroy(prepared[i]);
        hy_builder_finish(&builders[i]);
    }
    hy_runner_close(&runner);
}

TEST(cpu_buffers, roles_have_one_type_and_quantisation_and_shapes_that_combine)
{
    static const struct {
        struct hy_builder_type one, other;
        bool is_fine;
    } cases[] = {
        {{ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {2, 3}},
         {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {2, 3}},
         true},
        {{ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {2, 3}},
         {ANEURALNETWORKS_TENSOR_FLOAT32, -0.f, 0, 2, {2, 3}},
         true},
        {{ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {2, 0}},
         {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {0, 3}},
         true},
        {{ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {2, 3}},
         {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {2, 4}},
         false},
        {{ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {2, 3}},
         {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {6}},
         false},
        {{ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {8}},
         {ANEURALNETWORKS_TENSOR_FLOAT16, 0, 0, 1, {8}},
         false},
        {{ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .5f, 3, 1, {8}},
         {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .5f, 3, 1, {8}},
         true},
        {{ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .5f, 3, 1, {8}},
         {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .25f, 3, 1, {8}},
         false},
        {{ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .5f, 3, 1, {8}},
         {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .5f, 4, 1, {8}},
         false},
        {{ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .5f, 3, 1, {8}},
         {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, .5f, 3, 1, {8}},
         false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_together(&cases[i].one, &cases[i].other, ANEURALNETWORKS_RELU,
                        cases[i].is_fine ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT);
}

/* ---- Per channel ----------------------------------------------------------------------------- */

TEST(cpu_buffers, roles_have_the_same_channel_scales)
{
    static const float scales[][2] = {{.5f, .25f}, {.5f, .125f}};
    const struct hy_builder_type weights = {
        ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 0, 0, 1, {2}};
    const struct hy_builder_type floats = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {2}};
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};
    struct hy_builder builders[2];
    struct hy_runner runner;
    void *prepared[2] = {NULL, NULL};

    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
    for (uint32_t i = 0; i < 2; i++) {
        hy_builder_init(&builders[i]);
        const uint32_t in = hy_builder_input(&builders[i], &weights);
        hy_builder_channel_scales(&builders[i], in, 0, 2, scales[i]);
        const uint32_t out = hy_builder_output(&builders[i], &floats);
        hy_builder_operation(&builders[i], ANEURALNETWORKS_DEQUANTIZE, 1, &in, 1, &out);
        EXPECT_INT(runner.table->prepare(runner.device, hy_builder_model(&builders[i]), &options,
                                         &prepared[i]),
                   HY_STATUS_OK);
    }
    const struct hy_buffer_role roles[] = {{0, 0, 0, 1}, {1, 0, 0, 1}};
    for (uint32_t count = 1; count <= 2; count++) {
        const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                            .prepared = prepared,
                                            .roles = roles,
                                            .prepared_count = 2,
                                            .role_count = count};
        void *buffer = NULL;
        uint32_t token = 0;
        EXPECT_INT(runner.table->buffer_create(runner.device, &desc, &token, &buffer),
                   count == 1 ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT);
        if (buffer)
            runner.table->buffer_destroy(buffer);
    }
    for (uint32_t i = 0; i < 2; i++) {
        runner.table->prepared_destroy(prepared[i]);
        hy_builder_finish(&builders[i]);
    }
    hy_runner_close(&runner);
}

/* ---- Scalars --------------------------------------------------------------------------------- */

/* ADD whose activation is an input: a scalar. */
TEST(cpu_buffers, scalars_have_no_dimensions)
{
    static const uint32_t one = 1;
    const struct hy_builder_type floats = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {EXTENT}};
    const struct hy_builder_type scalar = {ANEURALNETWORKS_INT32, 0, 0, 0, {0}};
    const struct hy_buffer_role role = {0, 0, 1, 1};
    struct workshop workshop;
    struct buffer buffer;
    int32_t relu = ANEURALNETWORKS_FUSED_RELU;
    float in[EXTENT] = {-1, 2, -3, 4}, out[EXTENT];
    static const float expected[EXTENT] = {0, 4, 0, 8};

    hy_builder_init(&workshop.builder);
    const uint32_t a = hy_builder_input(&workshop.builder, &floats);
    const uint32_t inputs[] = {a, a, hy_builder_input(&workshop.builder, &scalar)};
    const uint32_t output = hy_builder_output(&workshop.builder, &floats);
    hy_builder_operation(&workshop.builder, ANEURALNETWORKS_ADD, 3, inputs, 1, &output);
    REQUIRE(hy_runner_open(&workshop.runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
    REQUIRE(hy_runner_prepare(&workshop.runner, hy_builder_model(&workshop.builder)) ==
            HY_STATUS_OK);
    expect_make(&workshop, HY_STATUS_INVALID_ARGUMENT, &role, 1, 1, &one);
    REQUIRE(buffer_make(&workshop, workshop.runner.prepared, &role, 1, 0, NULL, &buffer) ==
            HY_STATUS_OK);
    EXPECT_INT(buffer_write(&buffer, (float *)&relu, 1), HY_STATUS_INVALID_ARGUMENT); /* a rank */
    const struct hy_pool pool = {.kind = HY_POOL_HOST,
                                 .protection = HY_PROTECT_READ,
                                 .fd = -1,
                                 .size = sizeof relu,
                                 .address = &relu};
    EXPECT_INT(buffer.table->buffer_copy_from(buffer.buffer, &pool, NULL, 0), HY_STATUS_OK);
    hy_runner_clear(&workshop.runner);
    hy_runner_input(&workshop.runner, in, sizeof in, 0, NULL);
    hy_runner_input(&workshop.runner, &relu, sizeof relu, 0, NULL);
    hy_runner_output(&workshop.runner, out, sizeof out, 0, NULL);
    workshop_use(&workshop, false, 1, buffer.token);
    EXPECT_INT(hy_runner_execute(&workshop.runner), HY_STATUS_OK);
    EXPECT(memcmp(out, expected, sizeof out) == 0);
    buffer_destroy(&buffer);
    workshop_close(&workshop);
}

/* ---- Devices --------------------------------------------------------------------------------- */

TEST(cpu_buffers, prepared_models_of_another_device_are_refused)
{
    struct workshop one, other;
    struct buffer buffer;

    workshop_open(&one, EXTENT);
    workshop_open(&other, EXTENT);
    EXPECT_INT(buffer_make(&one, other.runner.prepared, &first_input, 1, 0, NULL, &buffer),
               HY_STATUS_INVALID_ARGUMENT);
    workshop_close(&other);
    workshop_close(&one);
}

/* One that would never be filled is not even tried. */
TEST(cpu_buffers, buffer_above_four_gigabytes_is_too_large_for_good)
{
    static const uint32_t dims[] = {65536, 32768};
    const struct hy_builder_type open = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {0, 0}};
    struct workshop workshop;

    hy_builder_init(&workshop.builder);
    const uint32_t in = hy_builder_input(&workshop.builder, &open);
    const uint32_t out = hy_builder_output(&workshop.builder, &open);
    hy_builder_operation(&workshop.builder, ANEURALNETWORKS_RELU, 1, &in, 1, &out);
    REQUIRE(hy_runner_open(&workshop.runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
    REQUIRE(hy_runner_prepare(&workshop.runner, hy_builder_model(&workshop.builder)) ==
            HY_STATUS_OK);
    expect_make(&workshop, HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT, &first_input, 1, 2, dims);
    workshop_close(&workshop);
}

TEST(cpu_buffers, as_many_live_at_once_as_there_are_tokens)
{
    struct workshop workshop;
    struct buffer one, other;

    workshop_open(&workshop, EXTENT);
    struct hy_cpu_device *device = workshop.runner.device;
    EXPECT_INT(device->buffers.tokens.capacity, 65536);
    device->buffers.tokens.capacity = 2;
    one = buffer_of_all(&workshop);
    other = buffer_of_all(&workshop);
    expect_make(&workshop, HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT, &first_input, 1, 0, NULL);
    buffer_destroy(&one);
    expect_make(&workshop, HY_STATUS_OK, &first_input, 1, 0, NULL);
    buffer_destroy(&other);
    workshop_close(&workshop);
}
