/* Executions on a support library: plain, in a burst, behind fences. */
#include "common/clock.h"
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/support_library_fixture.h"

#include <android/NeuralNetworks.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static bool open_fixture(struct sl_fixture *fixture)
{
    return sl_fixture_init(fixture) && sl_fixture_prepare(fixture);
}

static int64_t in_a_minute(void)
{
    return hy_clock_boot() + 60 * HY_SECOND;
}

/* ---- Plain executions ------------------------------------------------------------------------ */

TEST(support_library_runs, memory_of_the_process_goes_by_address)
{
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_OK);
    EXPECT_STR(fixture.fake->log, "Execution_create c1\n"
                                  "Execution_setInput x1 0 as-in-model address 16\n"
                                  "Execution_setOutput x1 0 as-in-model address 16\n"
                                  "Execution_compute x1\n"
                                  "Execution_free x1\n");
    EXPECT(fixture.fake->input == fixture.in && fixture.fake->output == fixture.out);
    EXPECT(fixture.out[0] == 1 && fixture.out[3] == 4);
    EXPECT_INT(fixture.shape.rank, 2);
    EXPECT_INT(fixture.shape.dims[1], 4);
    EXPECT_INT(fixture.shape.sufficient, 1);
    EXPECT(fixture.result.time_on_device == HY_NO_TIME);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, memory_that_is_mapped_goes_by_address)
{
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    sl_fixture_use_fd(&fixture, 0, 11, 64);
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_OK);
    EXPECT(fixture.fake->input == (char *)fixture.pools[0].address + 64);
    EXPECT(!strstr(fixture.fake->log, "Memory_createFromFd"));
    EXPECT(fixture.out[3] == 4);
    sl_fixture_close_fds(&fixture);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, shapes_of_the_request_are_told)
{
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    fixture.arguments[0].rank = fixture.arguments[1].rank = 2;
    fixture.arguments[0].dims = fixture.arguments[1].dims = fixture.dims;
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log, "Execution_setInput x1 0 type 3 [1,4] 0 0 address 16\n"
                                       "Execution_setOutput x1 0 type 3 [1,4] 0 0 address 16\n");
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, settings_come_before_the_run)
{
    static const uint8_t data[] = {9};
    const struct hy_hint hints[] = {{.token = 3 << 16 | 5, .length = 1, .data = data},
                                    {.token = 4 << 16 | 5, .length = 1, .data = data}};
    const struct hy_extension_prefix extensions[] = {{.name = "com.acme.fft", .prefix = 3}};
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    fixture.prepare_options.extensions = extensions;
    fixture.prepare_options.extension_count = 1;
    REQUIRE(sl_fixture_prepare(&fixture));
    fixture.options.measure = 1;
    fixture.options.deadline = in_a_minute();
    fixture.options.hints = hints;
    fixture.options.hint_count = 2;
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log, "Execution_setTimeout x1\n"
                                       "Execution_setMeasureTiming x1 1\n"
                                       "Execution_addExtensionAttribute x1 com.acme.fft 5 1: 9\n"
                                       "Execution_compute x1\n"
                                       "Execution_getDuration x1 0\n"
                                       "Execution_getDuration x1 1\n");
    EXPECT(fixture.fake->timeout > UINT64_C(50000000000));
    EXPECT_INT(fixture.result.time_on_device, 100);
    EXPECT_INT(fixture.result.time_in_driver, 200);

    fixture.options.deadline = 1;
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_MISSED_DEADLINE_PERSISTENT);
    fixture.options.deadline = HY_NO_DEADLINE;
    fixture.fake->faulty_call = "Execution_getDuration"; /* the device does not measure */
    fixture.fake->result = ANEURALNETWORKS_BAD_STATE;
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_OK);
    EXPECT(fixture.result.time_on_device == HY_NO_TIME);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, loops_get_their_time)
{
    struct sl_fixture fixture;
    struct hy_builder builder, body;
    REQUIRE(sl_fixture_init(&fixture) && sl_fixture_open(&fixture, "{}") && fixture.table);
    sl_fixture_relu(&builder);
    sl_fixture_relu(&body);
    struct hy_model model = *hy_builder_model(&builder);
    const struct hy_subgraph *const referenced[] = {hy_builder_model(&body)->main};
    model.referenced = referenced;
    model.referenced_count = 1;
    EXPECT_INT(sl_fixture_prepare_model(&fixture, &model), HY_STATUS_OK);
    hy_builder_finish(&builder);
    hy_builder_finish(&body);
    sl_fixture_request(&fixture);
    fixture.options.loop_timeout = 2000;
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log, "Execution_setLoopTimeout x1 2000\nExecution_compute x1\n");
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, padding_is_allowed_before_it_is_given)
{
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    sl_fixture_use_fd(&fixture, 0, 11, 0);
    fixture.arguments[0].location.padding = 48;
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log, "Execution_enableInputAndOutputPadding x1 1\n"
                                       "Execution_setInput x1 0 as-in-model address 64\n"
                                       "Execution_setOutput x1 0 as-in-model address 16\n");
    sl_fixture_close_fds(&fixture);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, left_out_arguments_have_no_address)
{
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    fixture.arguments[0] = fixture.arguments[1] =
        (struct hy_argument){.flags = HY_ARGUMENT_NO_VALUE};
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log, "Execution_setInput x1 0 as-in-model null 0\n"
                                       "Execution_setOutput x1 0 as-in-model null 0\n");
    sl_fixture_finish(&fixture);
}

/* ---- Shapes that come out -------------------------------------------------------------------- */

TEST(support_library_runs, open_shapes_are_asked_for)
{
    struct sl_fixture fixture;
    uint32_t open[2] = {1, 0};
    REQUIRE(open_fixture(&fixture));
    fixture.arguments[1].rank = 2;
    fixture.arguments[1].dims = open;
    fixture.fake->output_rank = 2;
    fixture.fake->output_dims[0] = 1;
    fixture.fake->output_dims[1] = 3;
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log, "Execution_setOutput x1 0 type 3 [1,0] 0 0 address 16\n");
    EXPECT_INT(fixture.shape.dims[1], 3);
    EXPECT_INT(fixture.shape.sufficient, 1);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, output_that_is_too_small_is_told_with_its_shape)
{
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    fixture.fake->faulty_call = "Execution_compute";
    fixture.fake->result = ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
    fixture.fake->output_result = ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
    fixture.fake->output_rank = 1;
    fixture.fake->output_dims[0] = 50;
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_STR(fixture.message, "Execution_compute returned OUTPUT_INSUFFICIENT_SIZE (8)");
    EXPECT_INT(fixture.shape.rank, 1);
    EXPECT_INT(fixture.shape.dims[0], 50);
    EXPECT_INT(fixture.shape.sufficient, 0);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, shapes_that_cannot_be_are_failures)
{
    static const char *const calls[] = {"Execution_getOutputOperandRank",
                                        "Execution_getOutputOperandDimensions"};
    struct sl_fixture fixture;
    uint32_t open[2] = {0, 0};
    REQUIRE(open_fixture(&fixture));
    fixture.arguments[1].rank = 2;
    fixture.arguments[1].dims = open;
    fixture.fake->output_rank = 17;
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_GENERAL_FAILURE);
    EXPECT_STR(fixture.message,
               "output 0: Execution_getOutputOperandRank returned 17, at most 16 is possible");
    fixture.fake->output_rank = 1;
    fixture.fake->result = ANEURALNETWORKS_BAD_DATA;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        fixture.fake->faulty_call = calls[i];
        EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_GENERAL_FAILURE);
        EXPECT_CONTAINS(fixture.message, calls[i]);
    }
    sl_fixture_finish(&fixture);
}

/* ---- What is refused ------------------------------------------------------------------------- */

TEST(support_library_runs, hostile_requests_are_refused_and_touch_nothing)
{
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
#define REFUSED(change, status, reason) \
    do { \
        sl_fixture_request(&fixture); \
        change; \
        EXPECT_INT(sl_fixture_execute(&fixture), status); \
        EXPECT_CONTAINS(fixture.message, reason); \
        EXPECT(fixture.out[0] == -1); \
    } while (0)
    REFUSED(fixture.request.struct_size = 8, HY_STATUS_INVALID_ARGUMENT, "struct_size");
    REFUSED(fixture.options.struct_size = 0, HY_STATUS_INVALID_ARGUMENT, "struct_size");
    REFUSED(fixture.result.struct_size = 0, HY_STATUS_INVALID_ARGUMENT, "struct_size");
    REFUSED(fixture.result.output_count = 0, HY_STATUS_INVALID_ARGUMENT, "0 outputs of 1");
    REFUSED(fixture.request.input_count = 2, HY_STATUS_INVALID_ARGUMENT, "has 2 inputs and 1");
    REFUSED(fixture.request.output_count = fixture.result.output_count = 0,
            HY_STATUS_INVALID_ARGUMENT, "has 1 inputs and 0");
    REFUSED(fixture.arguments[0].location.pool = 2, HY_STATUS_INVALID_ARGUMENT,
            "input 0: pool 2 does not exist, there are 2");
    REFUSED(fixture.arguments[1].location.offset = 1, HY_STATUS_INVALID_ARGUMENT,
            "output 0: the range is outside pool 1");
    REFUSED(fixture.arguments[1].location.length = UINT64_MAX, HY_STATUS_INVALID_ARGUMENT,
            "output 0: the range is outside pool 1");
    REFUSED(fixture.arguments[0].location.padding = 1, HY_STATUS_INVALID_ARGUMENT,
            "input 0: the range is outside pool 0");
    REFUSED(fixture.arguments[0].rank = 2, HY_STATUS_INVALID_ARGUMENT, "input 0: the rank is 2");
    REFUSED(fixture.pools[1].protection = HY_PROTECT_READ, HY_STATUS_GENERAL_FAILURE,
            "output 0: the memory cannot be mapped: status 4");
    REFUSED(fixture.pools[0].kind = HY_POOL_BUFFER, HY_STATUS_GENERAL_FAILURE,
            "input 0: memory of kind 6 is not supported");
    REFUSED(fixture.pools[0].kind = HY_POOL_HARDWARE_BUFFER, HY_STATUS_GENERAL_FAILURE,
            "input 0: memory of kind 5 is not supported");
#undef REFUSED
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, every_failing_call_fails_the_run_and_leaves_nothing)
{
    static const char *const calls[] = {
        "Execution_create",     "Execution_enableInputAndOutputPadding",
        "Execution_setInput",   "Execution_setOutput",
        "Execution_setTimeout", "Execution_setMeasureTiming",
        "Execution_compute",
    };
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    fixture.options.measure = 1;
    fixture.options.deadline = in_a_minute();
    fixture.arguments[0].location.length = 12;
    fixture.arguments[0].location.padding = 4;
    fixture.fake->result = ANEURALNETWORKS_UNAVAILABLE_DEVICE;
    const int live = fixture.fake->live;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        fixture.fake->faulty_call = calls[i];
        EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_DEVICE_UNAVAILABLE);
        EXPECT_CONTAINS(fixture.message, calls[i]);
        EXPECT_INT(fixture.fake->live, live);
    }
    fixture.fake->faulty_call = "Execution_create";
    fixture.fake->makes_nothing = true;
    EXPECT_INT(sl_fixture_execute(&fixture), HY_STATUS_GENERAL_FAILURE);
    sl_fixture_finish(&fixture);
}

/* ---- Bursts ---------------------------------------------------------------------------------- */

static int32_t burst_execute(struct sl_fixture *fixture, void *burst)
{
    fixture->fake->log[0] = '\0';
    return fixture->table->burst_execute(burst, &fixture->request, &fixture->options,
                                         &fixture->result);
}

TEST(support_library_runs, burst_keeps_memory_objects_until_they_are_released)
{
    struct sl_fixture fixture;
    void *burst = NULL;
    REQUIRE(open_fixture(&fixture));
    REQUIRE(fixture.table->burst_open(fixture.prepared, &burst) == HY_STATUS_OK);
    sl_fixture_use_fd(&fixture, 0, 11, 64);
    sl_fixture_use_fd(&fixture, 1, 12, 128);
    EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log,
                    "Memory_createFromFd 4096 prot 3 at 0\n"
                    "Execution_setInputFromMemory x1 0 as-in-model s1 at 64 16\n"
                    "Memory_createFromFd 4096 prot 3 at 0\n"
                    "Execution_setOutputFromMemory x1 0 as-in-model s2 at 128 16\n"
                    "Execution_setReusable x1 1\n"
                    "Execution_burstCompute x1 b1\n");
    EXPECT(((const float *)((const char *)fixture.pools[1].address + 128))[3] == 4);

    fixture.table->burst_release(burst, 13); /* was never used */
    fixture.fake->log[0] = '\0';
    fixture.table->burst_release(burst, 11);
    EXPECT_STR(fixture.fake->log, "Execution_free x1\nMemory_free s1\n");
    fixture.pools[0].id = 14;
    EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log, " s3 at 64 16\n");
    EXPECT_CONTAINS(fixture.fake->log, " s2 at 128 16\n");
    fixture.fake->log[0] = '\0';
    fixture.table->burst_close(burst);
    EXPECT_STR(fixture.fake->log,
               "Execution_free x2\nBurst_free b1\nMemory_free s2\nMemory_free s3\n");
    sl_fixture_close_fds(&fixture);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, burst_repeats_an_execution_whose_request_is_the_same)
{
    static const struct hy_hint hint = {.token = 3 << 16};
    struct sl_fixture fixture;
    void *burst = NULL;
    REQUIRE(open_fixture(&fixture));
    REQUIRE(fixture.table->burst_open(fixture.prepared, &burst) == HY_STATUS_OK);
    sl_fixture_use_fd(&fixture, 0, 11, 64);
    sl_fixture_use_fd(&fixture, 1, 12, 128);
    fixture.arguments[0].rank = 2;
    fixture.arguments[0].dims = fixture.dims;
    EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log,
                    "Execution_setReusable x1 1\nExecution_burstCompute x1 b1\n");

    float *in = (float *)((char *)fixture.pools[0].address + 64);
    const float *out = (const float *)((const char *)fixture.pools[1].address + 128);
    in[3] = 40;
    EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_OK);
    EXPECT_STR(fixture.fake->log, "Execution_burstCompute x1 b1\n");
    EXPECT(out[3] == 40);
    EXPECT_INT(fixture.shape.dims[1], 4);

#define NEW_EXECUTION(change, back) \
    do { \
        change; \
        EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_OK); \
        EXPECT_CONTAINS(fixture.fake->log, "Execution_create c1\n"); \
        back; \
        EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_OK); \
    } while (0)
    NEW_EXECUTION(fixture.arguments[0].location.offset = 60,
                  fixture.arguments[0].location.offset = 64);
    NEW_EXECUTION(fixture.arguments[1].location.length = 12,
                  fixture.arguments[1].location.length = 16);
    NEW_EXECUTION(fixture.arguments[1].location.padding = 4,
                  fixture.arguments[1].location.padding = 0);
    NEW_EXECUTION(fixture.arguments[0].rank = 1, fixture.arguments[0].rank = 2);
    NEW_EXECUTION(fixture.dims[1] = 5, fixture.dims[1] = 4);
    NEW_EXECUTION(fixture.pools[0].id = 13, fixture.pools[0].id = 11);
    NEW_EXECUTION(fixture.options.measure = 1, fixture.options.measure = 0);
    NEW_EXECUTION(fixture.options.loop_timeout = 1, fixture.options.loop_timeout = 0);
    NEW_EXECUTION(fixture.options.deadline = in_a_minute(),
                  fixture.options.deadline = HY_NO_DEADLINE);
    NEW_EXECUTION(fixture.options.hints = &hint;
                  fixture.options.hint_count = 1, fixture.options.hint_count = 0);
#undef NEW_EXECUTION
    EXPECT_STR(fixture.fake->log, "Execution_burstCompute x17 b1\n"); /* two were of one run */

    /* One that has failed is not run again. */
    fixture.fake->faulty_call = "Execution_burstCompute";
    fixture.fake->result = ANEURALNETWORKS_OP_FAILED;
    EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_GENERAL_FAILURE);
    fixture.fake->faulty_call = NULL;
    EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log, "Execution_create c1\n");
    fixture.table->burst_close(burst);
    sl_fixture_close_fds(&fixture);
    sl_fixture_finish(&fixture);
}

/* An execution must not outlive its memory, whose end is told for memory objects only. */
TEST(support_library_runs, burst_keeps_no_execution_on_memory_of_the_process)
{
    struct sl_fixture fixture;
    void *burst = NULL;
    REQUIRE(open_fixture(&fixture));
    REQUIRE(fixture.table->burst_open(fixture.prepared, &burst) == HY_STATUS_OK);
    sl_fixture_use_fd(&fixture, 1, 12, 128);
    EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_OK);
    EXPECT(!strstr(fixture.fake->log, "setReusable"));
    EXPECT_CONTAINS(fixture.fake->log, "Execution_burstCompute x1 b1\nExecution_free x1\n");
    fixture.table->burst_close(burst);
    sl_fixture_close_fds(&fixture);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, burst_finds_memory_objects_whatever_the_order_of_their_ids)
{
    static const uint64_t ids[] = {50, 20, 90, 10, 70, 60};
    struct sl_fixture fixture;
    void *burst = NULL;
    REQUIRE(open_fixture(&fixture));
    REQUIRE(fixture.table->burst_open(fixture.prepared, &burst) == HY_STATUS_OK);
    sl_fixture_use_fd(&fixture, 0, 1, 0);
    for (size_t i = 0; i < 2 * sizeof ids / sizeof *ids; i++) {
        char call[64];
        const size_t which = i % (sizeof ids / sizeof *ids);
        fixture.pools[0].id = ids[which];
        EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_OK);
        snprintf(call, sizeof call, "as-in-model s%zu at 0 16\n", which + 1);
        EXPECT(!strstr(fixture.fake->log, "createFromFd") == (i != which));
        EXPECT_CONTAINS(fixture.fake->log, call);
    }
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char call[64];
        fixture.fake->log[0] = '\0';
        fixture.table->burst_release(burst, ids[i]);
        snprintf(call, sizeof call, "Memory_free s%zu\n", i + 1);
        EXPECT_STR(fixture.fake->log, call);
    }
    fixture.table->burst_close(burst);
    sl_fixture_close_fds(&fixture);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, burst_keeps_nothing_of_nameless_memory)
{
    struct sl_fixture fixture;
    void *burst = NULL;
    REQUIRE(open_fixture(&fixture));
    REQUIRE(fixture.table->burst_open(fixture.prepared, &burst) == HY_STATUS_OK);
    sl_fixture_use_fd(&fixture, 0, 0, 64);
    sl_fixture_use_fd(&fixture, 1, 12, 0);
    EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_OK);
    EXPECT(fixture.fake->input == (char *)fixture.pools[0].address + 64);
    EXPECT(!strstr(fixture.fake->log, "Execution_setInputFromMemory"));
    EXPECT(!strstr(fixture.fake->log, "Execution_setReusable"));
    fixture.table->burst_close(burst);
    sl_fixture_close_fds(&fixture);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, failing_bursts_say_so)
{
    struct sl_fixture fixture;
    void *burst = NULL;
    REQUIRE(open_fixture(&fixture));
    fixture.fake->faulty_call = "Burst_create";
    fixture.fake->result = ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT;
    EXPECT_INT(fixture.table->burst_open(fixture.prepared, &burst),
               HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT);
    fixture.fake->makes_nothing = true;
    EXPECT_INT(fixture.table->burst_open(fixture.prepared, &burst), HY_STATUS_GENERAL_FAILURE);
    EXPECT(!burst);
    fixture.fake->makes_nothing = false;
    fixture.fake->faulty_call = "Execution_burstCompute";
    REQUIRE(fixture.table->burst_open(fixture.prepared, &burst) == HY_STATUS_OK);
    EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT);
    sl_fixture_use_fd(&fixture, 0, 11, 0);
    sl_fixture_use_fd(&fixture, 1, 12, 0);
    fixture.fake->faulty_call = "Execution_setReusable";
    EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT);
    fixture.table->burst_release(burst, 11);
    fixture.fake->faulty_call = "Memory_createFromFd";
    EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT);
    EXPECT_CONTAINS(fixture.message, "input 0: 4096 bytes of file descriptor");
    fixture.fake->faulty_call = NULL;
    EXPECT_INT(burst_execute(&fixture, burst), HY_STATUS_OK);
    fixture.table->burst_close(burst);
    sl_fixture_close_fds(&fixture);
    sl_fixture_finish(&fixture);
}

/* ---- Reusables ------------------------------------------------------------------------------- */

TEST(support_library_runs, reusable_is_one_execution_run_after_run)
{
    struct sl_fixture fixture;
    void *reusable = NULL;
    REQUIRE(open_fixture(&fixture));
    sl_fixture_use_fd(&fixture, 0, 11, 64);
    fixture.options.measure = 1;
    REQUIRE(fixture.table->reusable_create(fixture.prepared, &fixture.request, &fixture.options,
                                           &reusable) == HY_STATUS_OK);
    EXPECT_STR(fixture.fake->log, "Execution_create c1\n"
                                  "Memory_createFromFd 4096 prot 3 at 0\n"
                                  "Execution_setInputFromMemory x1 0 as-in-model s1 at 64 16\n"
                                  "Execution_setOutput x1 0 as-in-model address 16\n"
                                  "Execution_setMeasureTiming x1 1\n"
                                  "Execution_setReusable x1 1\n");
    for (int run = 0; run < 3; run++) {
        float *in = (float *)((char *)fixture.pools[0].address + 64);
        in[1] = (float)run;
        fixture.fake->log[0] = '\0';
        EXPECT_INT(fixture.table->reusable_execute(reusable, in_a_minute(), &fixture.result),
                   HY_STATUS_OK);
        EXPECT_STR(fixture.fake->log, "Execution_compute x1\n"
                                      "Execution_getDuration x1 0\n"
                                      "Execution_getDuration x1 1\n");
        EXPECT(fixture.out[1] == (float)run);
        EXPECT_INT(fixture.shape.dims[1], 4);
        EXPECT_INT(fixture.result.time_in_driver, 200);
    }
    EXPECT_INT(fixture.table->reusable_execute(reusable, 1, &fixture.result),
               HY_STATUS_MISSED_DEADLINE_PERSISTENT);
    fixture.result.output_count = 2;
    EXPECT_INT(fixture.table->reusable_execute(reusable, HY_NO_DEADLINE, &fixture.result),
               HY_STATUS_INVALID_ARGUMENT);
    fixture.fake->log[0] = '\0';
    fixture.table->reusable_destroy(reusable);
    EXPECT_STR(fixture.fake->log, "Execution_free x1\nMemory_free s1\n");
    sl_fixture_close_fds(&fixture);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, failing_reusables_leave_nothing)
{
    static const char *const calls[] = {"Execution_create", "Execution_setInput",
                                        "Execution_setReusable"};
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    fixture.fake->result = ANEURALNETWORKS_BAD_DATA;
    const int live = fixture.fake->live;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *reusable = NULL;
        fixture.fake->faulty_call = calls[i];
        EXPECT_INT(fixture.table->reusable_create(fixture.prepared, &fixture.request,
                                                  &fixture.options, &reusable),
                   HY_STATUS_INVALID_ARGUMENT);
        EXPECT_CONTAINS(fixture.message, calls[i]);
        EXPECT(!reusable);
        EXPECT_INT(fixture.fake->live, live);
    }
    sl_fixture_finish(&fixture);
}

/* ---- Fenced executions ----------------------------------------------------------------------- */

static int32_t start(struct sl_fixture *fixture, const int32_t *wait_for, uint32_t count,
                     int32_t *fence, void **fenced)
{
    fixture->message[0] = '\0';
    return fixture->table->execute_fenced(fixture->prepared, &fixture->request, &fixture->options,
                                          wait_for, count, fence, fenced);
}

static bool is_signalled(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    return poll(&look, 1, 0) == 1;
}

TEST(support_library_runs, fences_are_events_of_the_library)
{
    const int32_t wait_for[] = {eventfd(1, EFD_CLOEXEC), eventfd(1, EFD_CLOEXEC)};
    struct hy_fenced_result result = {.struct_size = sizeof result};
    struct sl_fixture fixture;
    int32_t fence = -1;
    void *fenced = NULL;
    REQUIRE(open_fixture(&fixture));
    sl_fixture_use_fd(&fixture, 1, 12, 0);
    fixture.options.measure = 1;
    fixture.options.duration = 777;
    REQUIRE(start(&fixture, wait_for, 2, &fence, &fenced) == HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log, "Event_createFromSyncFenceFd\n"
                                       "Event_createFromSyncFenceFd\n"
                                       "Execution_create c1\n");
    EXPECT_CONTAINS(fixture.fake->log,
                    "Execution_setOutputFromMemory x1 0 as-in-model s1 at 0 16\n");
    EXPECT_CONTAINS(fixture.fake->log,
                    "Execution_startComputeWithDependencies x1 after 2 duration 777\n"
                    "Event_getSyncFenceFd e3\n");
    REQUIRE(fence >= 0);
    EXPECT(!is_signalled(fence));
    EXPECT_INT(fixture.table->fenced_result(fenced, &result), HY_STATUS_GENERAL_FAILURE);

    EXPECT_INT(eventfd_write(fixture.fake->fence, 1), 0);
    EXPECT(is_signalled(fence));
    EXPECT_INT(fixture.table->fenced_result(fenced, &result), HY_STATUS_OK);
    EXPECT_INT(result.status, HY_STATUS_OK);
    EXPECT_INT(result.launched_on_device, 100);
    EXPECT_INT(result.launched_in_driver, 200);
    EXPECT_INT(result.fenced_on_device, 300);
    EXPECT_INT(result.fenced_in_driver, 400);
    fixture.table->fenced_destroy(fenced);
    close(fence);
    close(wait_for[0]);
    close(wait_for[1]);
    sl_fixture_close_fds(&fixture);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, work_that_fails_behind_a_fence_tells_its_status)
{
    struct hy_fenced_result result = {.struct_size = sizeof result};
    struct sl_fixture fixture;
    int32_t fence = -1;
    void *fenced = NULL;
    REQUIRE(open_fixture(&fixture));
    fixture.options.measure = 1;
    REQUIRE(start(&fixture, NULL, 0, &fence, &fenced) == HY_STATUS_OK);
    EXPECT_INT(eventfd_write(fixture.fake->fence, 1), 0);
    fixture.fake->faulty_call = "Event_wait";
    fixture.fake->result = ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
    EXPECT_INT(fixture.table->fenced_result(fenced, &result), HY_STATUS_OK);
    EXPECT_INT(result.status, HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT(result.launched_on_device == HY_NO_TIME && result.fenced_in_driver == HY_NO_TIME);
    fixture.table->fenced_destroy(fenced);
    close(fence);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, device_without_fences_is_done_at_once)
{
    struct hy_fenced_result result = {.struct_size = sizeof result};
    struct sl_fixture fixture;
    int32_t fence = 77;
    void *fenced = NULL;
    REQUIRE(open_fixture(&fixture));
    fixture.fake->has_no_fence = true;
    REQUIRE(start(&fixture, NULL, 0, &fence, &fenced) == HY_STATUS_OK);
    EXPECT_INT(fence, -1);
    EXPECT_CONTAINS(fixture.fake->log, "Event_wait e1\n");
    EXPECT_INT(fixture.table->fenced_result(fenced, &result), HY_STATUS_OK);
    EXPECT_INT(result.status, HY_STATUS_OK);
    fixture.table->fenced_destroy(fenced);
    sl_fixture_finish(&fixture);
}

TEST(support_library_runs, failing_fenced_calls_leave_nothing)
{
    static const char *const calls[] = {
        "Event_createFromSyncFenceFd",
        "Execution_create",
        "Execution_setInput",
        "Execution_startComputeWithDependencies",
        "Event_wait",
    };
    const int32_t wait_for[] = {eventfd(1, EFD_CLOEXEC)};
    struct sl_fixture fixture;
    REQUIRE(open_fixture(&fixture));
    fixture.fake->has_no_fence = true;
    const int live = fixture.fake->live;
    for (size_t i = 0; i < 2 * sizeof calls / sizeof *calls; i++) {
        int32_t fence = 77;
        void *fenced = NULL;
        fixture.fake->faulty_call = calls[i / 2];
        fixture.fake->result =
            i % 2 ? ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE : ANEURALNETWORKS_BAD_DATA;
        const int32_t status = start(&fixture, wait_for, 1, &fence, &fenced);
        EXPECT(i % 2 ? status != HY_STATUS_OK : status == HY_STATUS_INVALID_ARGUMENT);
        EXPECT_CONTAINS(fixture.message, calls[i / 2]);
        EXPECT(fence == 77 && !fenced);
        EXPECT_INT(fixture.fake->live, live);
    }
    close(wait_for[0]);
    sl_fixture_finish(&fixture);
}
