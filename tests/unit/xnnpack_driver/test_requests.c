/* Requests, good ones and hostile ones, to one prepared model: out = in + 1. */
#include "guarded.h"
#include "plugin.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <fenv.h>
#include <float.h>
#include <stdlib.h>

#define COUNT 1024u /* floats: one page */

struct prepared_add {
    struct hy_runner runner; /* device and prepared model */
    struct hy_builder builder;
    float in[COUNT + 8], out[COUNT];
    uint32_t dims[2];
    struct hy_pool pools[2];
    struct hy_argument arguments[2];
    struct hy_output_shape shape;
    struct hy_request request;
    struct hy_run_options options;
    struct hy_result result;
    char text[128];
};

static bool prepare_add(struct prepared_add *add)
{
    const struct hy_builder_type row = {.type = F32, .rank = 2, .dims = {1, COUNT}};
    const struct hy_builder_type single = {.type = F32, .rank = 1, .dims = {1}};
    const float one = 1;
    hy_builder_init(&add->builder);
    const uint32_t inputs[] = {hy_builder_input(&add->builder, &row),
                               hy_builder_constant(&add->builder, &single, &one, sizeof one),
                               hy_builder_int(&add->builder, 0)};
    const uint32_t output = hy_builder_output(&add->builder, &row);
    hy_builder_operation(&add->builder, ANEURALNETWORKS_ADD, 3, inputs, 1, &output);
    if (!xnnpack_open(&add->runner))
        return false;
    const int32_t status = hy_runner_prepare(&add->runner, hy_builder_model(&add->builder));
    EXPECT_INT(status, HY_STATUS_OK);
    return status == HY_STATUS_OK;
}

static void finish_add(struct prepared_add *add)
{
    hy_runner_close(&add->runner);
    hy_builder_finish(&add->builder);
}

static void good_request(struct prepared_add *add)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        add->in[i] = (float)i;
        add->out[i] = -1;
    }
    for (uint32_t i = 0; i < 2; i++) {
        add->pools[i] = (struct hy_pool){.kind = HY_POOL_HOST,
                                         .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                         .fd = -1,
                                         .size = i ? sizeof add->out : sizeof add->in,
                                         .address = i ? add->out : add->in};
        add->arguments[i] =
            (struct hy_argument){.location = {.pool = i, .length = sizeof add->out}};
    }
    add->dims[0] = 1;
    add->dims[1] = COUNT;
    add->request = (struct hy_request){.struct_size = sizeof add->request,
                                       .input_count = 1,
                                       .output_count = 1,
                                       .pool_count = 2,
                                       .inputs = &add->arguments[0],
                                       .outputs = &add->arguments[1],
                                       .pools = add->pools};
    add->options = (struct hy_run_options){.struct_size = sizeof add->options,
                                           .deadline = HY_NO_DEADLINE,
                                           .message = {add->text, sizeof add->text}};
    add->result = (struct hy_result){
        .struct_size = sizeof add->result, .output_count = 1, .outputs = &add->shape};
}

static int32_t execute(struct prepared_add *add)
{
    return add->runner.table->execute(add->runner.prepared, &add->request, &add->options,
                                      &add->result);
}

TEST(xnnpack_requests, a_good_one_is_served_with_shape_and_time)
{
    struct prepared_add add = {0};
    REQUIRE(prepare_add(&add));
    good_request(&add);
    EXPECT_INT(execute(&add), HY_STATUS_OK);
    EXPECT(add.out[0] == 1 && add.out[COUNT - 1] == COUNT);
    EXPECT_INT(add.shape.rank, 2);
    EXPECT_INT(add.shape.dims[1], COUNT);
    EXPECT_INT(add.shape.sufficient, 1);
    EXPECT(add.result.time_in_driver == HY_NO_TIME);

    add.options.measure = 1;
    add.arguments[0].rank = add.arguments[1].rank = 2;
    add.arguments[0].dims = add.arguments[1].dims = add.dims;
    EXPECT_INT(execute(&add), HY_STATUS_OK);
    EXPECT(add.result.time_in_driver != HY_NO_TIME);
    EXPECT(add.result.time_on_device <= add.result.time_in_driver);
    finish_add(&add);
}

/* 1 + 1e-10 is rounded, 1 + FLT_MAX is inexact. */
TEST(xnnpack_requests, float_environment_of_the_thread_neither_changes_nor_matters)
{
    struct prepared_add add = {0};
    fesetround(FE_UPWARD);
    const bool is_prepared = prepare_add(&add);
    fesetround(FE_TONEAREST);
    REQUIRE(is_prepared);
    good_request(&add);
    add.in[0] = 1e-10f;
    add.in[1] = 1e-40f;
    add.in[2] = FLT_MAX;
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_DIVBYZERO);
    fesetround(FE_UPWARD);
    const int32_t status = execute(&add);
    const int rounding = fegetround(), flags = fetestexcept(FE_ALL_EXCEPT);
    fesetenv(FE_DFL_ENV);
    EXPECT_INT(status, HY_STATUS_OK);
    EXPECT_INT(rounding, FE_UPWARD);
    EXPECT_INT(flags, FE_DIVBYZERO);
    EXPECT(add.out[0] == 1 && add.out[1] == 1 && add.out[2] == FLT_MAX);
    finish_add(&add);
}

TEST(xnnpack_requests, hostile_ones_are_refused_and_touch_nothing)
{
    struct prepared_add add = {0};
    REQUIRE(prepare_add(&add));

#define REFUSED(change, status) \
    do { \
        good_request(&add); \
        change; \
        EXPECT_INT(execute(&add), status); \
        EXPECT(add.out[0] == -1); \
    } while (0)

    REFUSED(add.request.struct_size = 8, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.options.struct_size = 0, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.result.struct_size = 0, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.request.input_count = 0, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.request.input_count = UINT32_MAX, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.request.output_count = 2, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.result.output_count = 0, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[0].location.pool = 2, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[1].location.pool = UINT32_MAX, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[0].location.offset = 64, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[1].location.offset = UINT64_MAX, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[0].location.length -= 1, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[0].location.length = UINT64_MAX, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[1].location.length = UINT64_MAX, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.pools[0].size = 0, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.pools[1].protection = HY_PROTECT_READ, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.pools[0].kind = 99, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.pools[1].kind = HY_POOL_BUFFER, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.pools[0].kind = HY_POOL_HARDWARE_BUFFER, HY_STATUS_GENERAL_FAILURE);
    REFUSED((add.pools[0].kind = HY_POOL_HARDWARE_BUFFER, add.arguments[0].location.length = 0),
            HY_STATUS_GENERAL_FAILURE);
    REFUSED((add.pools[1].kind = HY_POOL_HARDWARE_BUFFER, add.arguments[1].location.length = 0),
            HY_STATUS_GENERAL_FAILURE);
    REFUSED(add.arguments[0].flags = HY_ARGUMENT_NO_VALUE, HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.arguments[1].flags = 8, HY_STATUS_INVALID_ARGUMENT);
    REFUSED((add.arguments[0].rank = 2, add.arguments[0].dims = NULL), HY_STATUS_INVALID_ARGUMENT);
    REFUSED((add.arguments[0].rank = 1, add.arguments[0].dims = add.dims),
            HY_STATUS_INVALID_ARGUMENT);
    REFUSED((add.arguments[0].rank = 2, add.arguments[0].dims = add.dims, add.dims[1] = 0),
            HY_STATUS_INVALID_ARGUMENT);
    REFUSED((add.arguments[1].rank = 2, add.arguments[1].dims = add.dims, add.dims[1] = 3),
            HY_STATUS_INVALID_ARGUMENT);
    REFUSED(add.options.deadline = 1, HY_STATUS_MISSED_DEADLINE_TRANSIENT);
#undef REFUSED
    good_request(&add);
    EXPECT_INT(execute(&add), HY_STATUS_OK); /* none of it did harm */
    finish_add(&add);
}

TEST(xnnpack_requests, too_small_an_output_is_told_with_the_true_shape)
{
    struct prepared_add add = {0};
    REQUIRE(prepare_add(&add));
    good_request(&add);
    add.arguments[1].location.length = sizeof add.out - 1;
    EXPECT_INT(execute(&add), HY_STATUS_OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_INT(add.shape.sufficient, 0);
    EXPECT_INT(add.shape.dims[1], COUNT);
    EXPECT_CONTAINS(add.text, "output 0 does not fit");
    EXPECT(add.out[0] == -1);
    finish_add(&add);
}

/* XNNPACK asserts that inputs move by whole elements, and reads 16 bytes beyond their end. */
TEST(xnnpack_requests, tensors_may_lie_anywhere)
{
    struct prepared_add add = {0};
    struct guarded in, out;
    REQUIRE(prepare_add(&add));
    REQUIRE(guarded_init(&in, 2 * sizeof add.out));
    REQUIRE(guarded_init(&out, 2 * sizeof add.out));
    for (uint32_t slack = 0; slack < 40; slack++) {
        good_request(&add);
        uint8_t *to = guarded_end(&out, sizeof add.out, slack);
        add.pools[0].address = guarded_end(&in, sizeof add.out, slack);
        add.pools[1].address = to;
        add.pools[0].size = add.pools[1].size = sizeof add.out;
        memcpy(add.pools[0].address, add.in, sizeof add.out);
        EXPECT_INT(execute(&add), HY_STATUS_OK);
        memcpy(add.out, to, sizeof add.out);
        EXPECT(add.out[0] == 1 && add.out[COUNT - 1] == COUNT);
    }
    guarded_finish(&in);
    guarded_finish(&out);
    finish_add(&add);
}

TEST(xnnpack_requests, contents_are_read_anew_each_time)
{
    struct prepared_add add = {0};
    REQUIRE(prepare_add(&add));
    for (int i = 0; i < 3; i++) {
        good_request(&add);
        add.in[7] = (float)(100 * i);
        EXPECT_INT(execute(&add), HY_STATUS_OK);
        EXPECT(add.out[7] == (float)(100 * i + 1));
    }
    finish_add(&add);
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct part {
    const struct prepared_add *add;
    unsigned wrong;
};

static void run_often(void *argument)
{
    struct part *part = argument;
    struct prepared_add *own = malloc(sizeof *own);
    if (!own) {
        part->wrong++;
        return;
    }
    *own = *part->add;
    for (unsigned i = 0; i < 300; i++) {
        good_request(own);
        own->in[2] = (float)i;
        if (execute(own) != HY_STATUS_OK || own->out[2] != (float)i + 1 ||
            own->out[COUNT - 1] != COUNT)
            part->wrong++;
    }
    free(own);
}

TEST(xnnpack_requests, one_prepared_model_serves_many_threads)
{
    struct prepared_add add = {0};
    struct part parts[8];
    REQUIRE(prepare_add(&add));
    for (unsigned i = 0; i < 8; i++)
        parts[i] = (struct part){.add = &add};
    EXPECT(hy_threads_run(8, run_often, parts, sizeof *parts));
    for (unsigned i = 0; i < 8; i++)
        EXPECT_INT(parts[i].wrong, 0);
    finish_add(&add);
}
