/*
 * Work that nobody wants any more ends soon: after the word is set, or the deadline has passed,
 * also inside of an operation that would take minutes or, with the scalar kernels, hours.
 */
#include "common/clock.h"
#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/flow_model.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"

#include <android/NeuralNetworksTypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Before it is cancelled, and far more than what is left of it may take on a busy machine. */
#define BEGIN_NS (HY_SECOND / 20)
#define SOON_NS  (10 * HY_SECOND)

enum { FAST, REFERENCE, DEVICES };

/* ---- A word that is set in time -------------------------------------------------------------- */

struct canceller {
    pthread_t thread;
    uint32_t cancelled;
};

static void *cancel_delayed(void *context)
{
    struct canceller *canceller = context;
    const struct timespec pause = {.tv_nsec = BEGIN_NS};

    nanosleep(&pause, NULL);
    __atomic_store_n(&canceller->cancelled, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* By the deadline, or by the word. */
static void expect_end(struct hy_runner *runner, const char *what, bool by_flag)
{
    struct canceller canceller = {0};
    const int64_t start = hy_clock_boot();

    if (by_flag)
        REQUIRE(pthread_create(&canceller.thread, NULL, cancel_delayed, &canceller) == 0);
    runner->deadline = by_flag ? HY_NO_DEADLINE : start + BEGIN_NS;
    runner->cancelled = by_flag ? &canceller.cancelled : NULL;
    const int32_t status = hy_runner_execute(runner);
    const int64_t elapsed = hy_clock_boot() - start;
    if (by_flag)
        pthread_join(canceller.thread, NULL);
    runner->cancelled = NULL;
    if (status != HY_STATUS_MISSED_DEADLINE_TRANSIENT || elapsed > SOON_NS)
        hy_test_fail(__FILE__, __LINE__, "%s by %s: status %d (%s) after %lld ms", what,
                     by_flag ? "word" : "deadline", status, runner->message,
                     (long long)(elapsed / 1000000));
    else
        hy_test_pass(__FILE__, __LINE__);
}

/* ---- One operation --------------------------------------------------------------------------- */

static void run_case(struct hy_op_case *test, const char *what, uint32_t device)
{
    struct hy_runner runner = {0};

    if (test->builder.operation_count == 0)
        hy_builder_operation(&test->builder, test->operation, test->input_count, test->inputs,
                             test->output_count, test->outputs);
    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), device) == HY_STATUS_OK);
    const int32_t status = hy_runner_prepare(&runner, hy_builder_model(&test->builder));
    if (status == HY_STATUS_OK) {
        hy_runner_clear(&runner);
        for (uint32_t i = 0; i < test->given_count; i++)
            hy_runner_input(&runner, test->given[i].data, test->given[i].length, 0, NULL);
        for (uint32_t i = 0; i < test->output_count; i++)
            hy_runner_output(&runner, (void *)test->wanted[i].data, test->wanted[i].length, 0,
                             NULL);
        expect_end(&runner, what, true);
        expect_end(&runner, what, false);
    } else {
        hy_test_fail(__FILE__, __LINE__, "%s: %s", what, runner.message);
    }
    hy_runner_close(&runner);
}

static struct hy_builder_type floats(uint32_t rank, const uint32_t *dims)
{
    struct hy_builder_type type = {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = rank};

    memcpy(type.dims, dims, rank * sizeof *dims);
    return type;
}

/* Zeros, for inputs that may be anything; and room for outputs. */
static void *zeros(size_t bytes)
{
    void *memory = calloc(1, bytes);

    if (!memory)
        abort();
    return memory;
}

static void add_tensor(struct hy_op_case *test, uint32_t rank, const uint32_t *dims, void *data)
{
    const struct hy_builder_type type = floats(rank, dims);
    hy_op_case_tensor(test, &type, data, false);
}

static void add_output(struct hy_op_case *test, uint32_t rank, const uint32_t *dims, void *data,
                       size_t bytes)
{
    const struct hy_builder_type type = floats(rank, dims);
    hy_op_case_output(test, &type, data, bytes);
}

#define DIMS(...) \
    (const uint32_t[]) \
    { \
        __VA_ARGS__ \
    }

/* ---- Convolutions and products --------------------------------------------------------------- */

enum { SIDE = 512, CHANNELS = 8, WINDOW = 255 };

/* 10^12 products; depthwise 10^11. */
static void convolve(int32_t operation, const char *what, uint32_t device)
{
    const bool is_depthwise = operation == HY_OP_DEPTHWISE_CONV_2D;
    const size_t image = (size_t)SIDE * SIDE * CHANNELS * sizeof(float);
    const size_t filter =
        (size_t)(is_depthwise ? 1 : CHANNELS) * WINDOW * WINDOW * CHANNELS * sizeof(float);
    float *in = zeros(image), *weights = zeros(filter), *out = zeros(image);
    float bias[CHANNELS] = {0};
    struct hy_op_case test;

    hy_op_case_init(&test, operation);
    add_tensor(&test, 4, DIMS(1, SIDE, SIDE, CHANNELS), in);
    add_tensor(&test, 4, DIMS(is_depthwise ? 1 : CHANNELS, WINDOW, WINDOW, CHANNELS), weights);
    add_tensor(&test, 1, DIMS(CHANNELS), bias);
    if (operation == HY_OP_TRANSPOSE_CONV_2D)
        hy_op_case_ints(&test, 1, DIMS(4), (const int32_t[]){1, SIDE, SIDE, CHANNELS}, true);
    hy_op_case_int(&test, 1); /* padding: same */
    hy_op_case_int(&test, 1);
    hy_op_case_int(&test, 1);
    if (is_depthwise)
        hy_op_case_int(&test, 1);
    hy_op_case_int(&test, 0);
    if (operation == HY_OP_TRANSPOSE_CONV_2D)
        hy_op_case_bool(&test, false);
    add_output(&test, 4, DIMS(1, SIDE, SIDE, CHANNELS), out, image);
    run_case(&test, what, device);
    hy_op_case_finish(&test);
    free(in);
    free(weights);
    free(out);
}

TEST(cpu_cancel, convolutions_end)
{
    for (uint32_t device = FAST; device < DEVICES; device++) {
        convolve(HY_OP_CONV_2D, "CONV_2D", device);
        convolve(HY_OP_DEPTHWISE_CONV_2D, "DEPTHWISE_CONV_2D", device);
        convolve(HY_OP_TRANSPOSE_CONV_2D, "TRANSPOSE_CONV_2D", device);
    }
}

TEST(cpu_cancel, fully_connected_and_batch_matmul_end)
{
    enum { EXTENT = 3072 };
    const size_t bytes = (size_t)EXTENT * EXTENT * sizeof(float);
    float *left = zeros(bytes), *right = zeros(bytes), *out = zeros(bytes);
    float *bias = zeros(EXTENT * sizeof(float));

    for (uint32_t device = FAST; device < DEVICES; device++) {
        struct hy_op_case test;
        hy_op_case_init(&test, HY_OP_FULLY_CONNECTED);
        add_tensor(&test, 2, DIMS(EXTENT, EXTENT), left);
        add_tensor(&test, 2, DIMS(EXTENT, EXTENT), right);
        add_tensor(&test, 1, DIMS(EXTENT), bias);
        hy_op_case_int(&test, 0);
        add_output(&test, 2, DIMS(EXTENT, EXTENT), out, bytes);
        run_case(&test, "FULLY_CONNECTED", device);
        hy_op_case_finish(&test);

        hy_op_case_init(&test, HY_OP_BATCH_MATMUL);
        add_tensor(&test, 2, DIMS(EXTENT, EXTENT), left);
        add_tensor(&test, 2, DIMS(EXTENT, EXTENT), right);
        hy_op_case_bool(&test, false);
        hy_op_case_bool(&test, false);
        add_output(&test, 2, DIMS(EXTENT, EXTENT), out, bytes);
        run_case(&test, "BATCH_MATMUL", device);
        hy_op_case_finish(&test);
    }
    free(left);
    free(right);
    free(out);
    free(bias);
}

/* ---- Windows and lines ----------------------------------------------------------------------- */

static void pool(int32_t operation, const char *what, uint32_t device)
{
    const size_t image = (size_t)2 * SIDE * SIDE * 2 * CHANNELS * sizeof(float);
    float *in = zeros(image), *out = zeros(image);
    struct hy_op_case test;

    hy_op_case_init(&test, operation);
    add_tensor(&test, 4, DIMS(1, 2 * SIDE, SIDE, 2 * CHANNELS), in);
    hy_op_case_int(&test, 1); /* padding: same */
    hy_op_case_int(&test, 1);
    hy_op_case_int(&test, 1);
    hy_op_case_int(&test, SIDE);
    hy_op_case_int(&test, SIDE);
    hy_op_case_int(&test, 0);
    add_output(&test, 4, DIMS(1, 2 * SIDE, SIDE, 2 * CHANNELS), out, image);
    run_case(&test, what, device);
    hy_op_case_finish(&test);
    free(in);
    free(out);
}

TEST(cpu_cancel, pools_end)
{
    for (uint32_t device = FAST; device < DEVICES; device++) {
        pool(HY_OP_AVERAGE_POOL_2D, "AVERAGE_POOL_2D", device);
        pool(HY_OP_MAX_POOL_2D, "MAX_POOL_2D", device);
        pool(HY_OP_L2_POOL_2D, "L2_POOL_2D", device);
    }
}

TEST(cpu_cancel, local_response_normalization_ends)
{
    enum { DEPTH = 1 << 20 };
    float *in = zeros(DEPTH * sizeof(float)), *out = zeros(DEPTH * sizeof(float));

    for (uint32_t device = FAST; device < DEVICES; device++) {
        struct hy_op_case test;
        hy_op_case_init(&test, HY_OP_LOCAL_RESPONSE_NORMALIZATION);
        add_tensor(&test, 4, DIMS(1, 1, 1, DEPTH), in);
        hy_op_case_int(&test, DEPTH / 2);
        hy_op_case_float(&test, 1);
        hy_op_case_float(&test, 1);
        hy_op_case_float(&test, .5f);
        add_output(&test, 4, DIMS(1, 1, 1, DEPTH), out, DEPTH * sizeof(float));
        run_case(&test, "LOCAL_RESPONSE_NORMALIZATION", device);
        hy_op_case_finish(&test);
    }
    free(in);
    free(out);
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

TEST(cpu_cancel, roi_align_ends)
{
    const float box[] = {0, 0, 15, 15};
    enum { CELLS = 64, SAMPLES = 1024 }; /* along each axis */
    static float in[16 * 16], out[CELLS * CELLS];

    for (uint32_t device = FAST; device < DEVICES; device++) {
        struct hy_op_case test;
        hy_op_case_init(&test, HY_OP_ROI_ALIGN);
        add_tensor(&test, 4, DIMS(1, 16, 16, 1), in);
        add_tensor(&test, 2, DIMS(1, 4), (void *)box);
        hy_op_case_ints(&test, 1, DIMS(1), (const int32_t[]){0}, false);
        hy_op_case_int(&test, CELLS);
        hy_op_case_int(&test, CELLS);
        hy_op_case_float(&test, 1);
        hy_op_case_float(&test, 1);
        hy_op_case_int(&test, SAMPLES);
        hy_op_case_int(&test, SAMPLES);
        hy_op_case_bool(&test, false);
        add_output(&test, 4, DIMS(1, CELLS, CELLS, 1), out, sizeof out);
        run_case(&test, "ROI_ALIGN", device);
        hy_op_case_finish(&test);
    }
}

/* No box overlaps another: each is compared with all. */
TEST(cpu_cancel, suppression_of_boxes_ends)
{
    enum { REGIONS = 400000 };
    float *scores = zeros(2 * REGIONS * sizeof(float));
    float *boxes = zeros((size_t)8 * REGIONS * sizeof(float));
    int32_t *images = zeros(REGIONS * sizeof(int32_t));
    float *out = zeros((size_t)8 * REGIONS * sizeof(float));

    for (int i = 0; i < REGIONS; i++) {
        scores[2 * i + 1] = 1;
        for (int k = 0; k < 2; k++) {
            float *box = boxes + 8 * (size_t)i + 4 * k;
            box[0] = (float)(2 * i);
            box[2] = box[0] + 1;
            box[3] = 1;
        }
    }
    for (uint32_t device = FAST; device < DEVICES; device++) {
        struct hy_op_case test;
        const struct hy_builder_type ints = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {1}};
        hy_op_case_init(&test, HY_OP_BOX_WITH_NMS_LIMIT);
        add_tensor(&test, 2, DIMS(REGIONS, 2), scores);
        add_tensor(&test, 2, DIMS(REGIONS, 8), boxes);
        hy_op_case_ints(&test, 1, DIMS(REGIONS), images, false);
        hy_op_case_float(&test, .5f);
        hy_op_case_int(&test, -1);
        hy_op_case_int(&test, 0);
        hy_op_case_float(&test, .5f);
        hy_op_case_float(&test, 1);
        hy_op_case_float(&test, .1f);
        add_output(&test, 1, DIMS(1), out, REGIONS * sizeof(float));
        add_output(&test, 2, DIMS(1, 1), out, (size_t)4 * REGIONS * sizeof(float));
        hy_op_case_output(&test, &ints, out, REGIONS * sizeof(int32_t));
        hy_op_case_output(&test, &ints, out, REGIONS * sizeof(int32_t));
        run_case(&test, "BOX_WITH_NMS_LIMIT", device);
        hy_op_case_finish(&test);
    }
    free(scores);
    free(boxes);
    free(images);
    free(out);
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

TEST(cpu_cancel, if_in_if_ends)
{
    for (uint32_t device = FAST; device < DEVICES; device++) {
        struct hy_runner runner = {0};
        struct hy_flow flow;
        float in = 1, out = 0;

        hy_flow_init(&flow);
        hy_flow_endless_main(&flow, 1);
        REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), device) == HY_STATUS_OK);
        REQUIRE(hy_runner_prepare(&runner, hy_flow_model(&flow)) == HY_STATUS_OK);
        hy_runner_clear(&runner);
        hy_runner_input(&runner, &in, sizeof in, 0, NULL);
        hy_runner_output(&runner, &out, sizeof out, 0, NULL);
        expect_end(&runner, "IF", true);
        expect_end(&runner, "IF", false);
        hy_runner_close(&runner);
        hy_flow_finish(&flow);
    }
}

/* ---- Before anything has begun --------------------------------------------------------------- */

TEST(cpu_cancel, nothing_begins_that_nobody_wants)
{
    const uint32_t set = 1;
    const struct hy_refusals refusals = {.struct_size = sizeof refusals, .cancelled = &set};
    struct hy_runner runner = {0};
    struct hy_flow flow;
    float in = 1, out = 0;
    uint8_t supported[8];
    void *reusable = NULL;

    hy_flow_init(&flow);
    hy_flow_endless_main(&flow, 1);
    const struct hy_model *model = hy_flow_model(&flow);
    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), FAST) == HY_STATUS_OK);
    EXPECT_INT(runner.table->supported_operations(runner.device, model, supported, &refusals),
               HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    runner.cancelled = &set;
    EXPECT_INT(hy_runner_prepare(&runner, model), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    runner.cancelled = NULL;
    REQUIRE(hy_runner_prepare(&runner, model) == HY_STATUS_OK);
    hy_runner_clear(&runner);
    hy_runner_input(&runner, &in, sizeof in, 0, NULL);
    hy_runner_output(&runner, &out, sizeof out, 0, NULL);
    runner.cancelled = &set;
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    REQUIRE(hy_runner_reuse(&runner, &reusable) == HY_STATUS_OK);
    EXPECT_INT(hy_runner_execute_reused(&runner, reusable), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    runner.table->reusable_destroy(reusable);
    hy_runner_close(&runner);
    hy_flow_finish(&flow);
}

/* The question has a deadline of its own; 0 is none. */
TEST(cpu_cancel, the_question_what_is_supported_has_a_deadline)
{
    struct hy_refusals refusals = {.struct_size = sizeof refusals, .deadline = 1};
    struct hy_runner runner = {0};
    struct hy_flow flow;
    uint8_t supported[8];

    hy_flow_init(&flow);
    hy_flow_endless_main(&flow, 1);
    const struct hy_model *model = hy_flow_model(&flow);
    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), FAST) == HY_STATUS_OK);
    EXPECT_INT(runner.table->supported_operations(runner.device, model, supported, &refusals),
               HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    refusals.deadline = 0;
    EXPECT_INT(runner.table->supported_operations(runner.device, model, supported, &refusals),
               HY_STATUS_OK);
    hy_runner_close(&runner);
    hy_flow_finish(&flow);
}
