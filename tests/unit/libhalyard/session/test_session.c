/* Sessions: options, buffers, shapes, results. */
#include <halyard/halyard.h>
#include <stdlib.h>
#include <string.h>

#include "networks.h"
#include "tests/kit/test.h"

static bool create(struct halyard_network *network, const struct halyard_session_options *options,
                   struct halyard_session **session)
{
    if (halyard_session_create(network, options, session) == ANEURALNETWORKS_NO_ERROR)
        return true;
    hy_test_fail(__FILE__, __LINE__, "%s", halyard_last_error());
    return false;
}

static float *input_of(struct halyard_session *session, uint32_t index)
{
    void *bytes = NULL;
    size_t length;
    EXPECT_INT(halyard_session_input_buffer(session, index, &bytes, &length),
               ANEURALNETWORKS_NO_ERROR);
    return bytes;
}

static float *output_of(struct halyard_session *session)
{
    void *bytes = NULL;
    size_t length;
    EXPECT_INT(halyard_session_output_buffer(session, 0, &bytes, &length),
               ANEURALNETWORKS_NO_ERROR);
    return bytes;
}

/* ---- Results --------------------------------------------------------------------------------- */

static void read_digit(struct halyard_session *session, const char *file, int digit)
{
    char path[1024], note[128];
    void *bytes = NULL;
    size_t length = 0;

    digits_path(path, sizeof path, file);
    EXPECT_INT(halyard_session_read_input(session, 0, path, NULL, note, sizeof note),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_output_buffer(session, 0, &bytes, &length),
               ANEURALNETWORKS_NO_ERROR);
    REQUIRE(length == 10);
    for (int i = 0; i < 10; i++)
        EXPECT_INT(((const int8_t *)bytes)[i], i == digit ? 127 : -128);
}

TEST(session, runs_the_digits_network_to_the_recorded_outputs)
{
    struct halyard_network *network = NULL;
    struct halyard_session *session = NULL;

    REQUIRE(open_digits(&network));
    REQUIRE(create(network, NULL, &session));
    read_digit(session, "zero.png", 0);
    read_digit(session, "seven.png", 7);
    halyard_session_free(session);
    halyard_network_close(network);
}

static void expect_sum(struct halyard_network *network, struct halyard_session_options options)
{
    struct halyard_session *session = NULL;

    REQUIRE(create(network, &options, &session));
    for (int i = 0; i < 3; i++) {
        input_of(session, 0)[0] = (float)i;
        input_of(session, 1)[0] = 10;
        EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
        EXPECT(output_of(session)[0] == (float)(10 + i));
    }
    halyard_session_free(session);
}

TEST(session, runs_the_same_whichever_way)
{
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    expect_sum(sum.network, options);
    options.burst = true;
    expect_sum(sum.network, options);
    options.burst = false;
    options.fenced = true;
    expect_sum(sum.network, options);
    options.fenced = false;
    options.relaxed = true;
    expect_sum(sum.network, options);
    options.threads = 1;
    options.split_operations = true;
    options.priority = ANEURALNETWORKS_PRIORITY_HIGH;
    options.deadline_ns = UINT64_C(60000000000);
    options.compile_deadline_ns = UINT64_C(60000000000);
    expect_sum(sum.network, options);
    test_network_close(&sum);
}

TEST(session, of_int64_takes_and_gives_int64)
{
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    struct halyard_session *session = NULL;
    struct test_network wide;
    void *a, *b, *sum;
    size_t length;

    REQUIRE(test_network_wide(&wide));
    REQUIRE(create(wide.network, NULL, &session));
    EXPECT_INT(halyard_session_get_output(session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(info.type, HALYARD_TYPE_INT64);
    EXPECT_INT(halyard_session_input_buffer(session, 0, &a, &length), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_input_buffer(session, 1, &b, &length), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(length, 2 * sizeof(int64_t));
    ((int64_t *)a)[0] = INT64_C(1) << 40;
    ((int64_t *)a)[1] = -5;
    ((int64_t *)b)[1] = 3;
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_output_buffer(session, 0, &sum, &length), ANEURALNETWORKS_NO_ERROR);
    EXPECT(((int64_t *)sum)[0] == INT64_C(1) << 40);
    EXPECT_INT(((int64_t *)sum)[1], -2);
    halyard_session_free(session);
    test_network_close(&wide);
}

/* ---- Buffers --------------------------------------------------------------------------------- */

TEST(session, has_buffers_of_its_own_aligned_to_64_bytes_and_zero)
{
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    REQUIRE(create(sum.network, NULL, &session));
    EXPECT_INT((uintptr_t)input_of(session, 0) % 64, 0);
    EXPECT_INT((uintptr_t)output_of(session) % 64, 0);
    EXPECT(input_of(session, 1)[1] == 0 && output_of(session)[0] == 0);
    halyard_session_free(session);
    test_network_close(&sum);
}

TEST(session, reads_and_writes_bound_memory_without_a_copy)
{
    struct halyard_plan plan = {.struct_size = sizeof plan};
    const float a[2] = {1, 2};
    float result[2] = {0};
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    REQUIRE(create(sum.network, NULL, &session));
    EXPECT_INT(halyard_session_bind_input(session, 0, a, sizeof a), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_bind_output(session, 0, result, sizeof result),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(input_of(session, 0) == a && output_of(session) == result);
    input_of(session, 1)[1] = 5;
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT(result[0] == 1 && result[1] == 7);
    EXPECT_INT(halyard_compilation_get_plan(halyard_session_compilation(session), &plan),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(plan.copied_bytes, 0);
    halyard_session_free(session);
    test_network_close(&sum);
}

TEST(session, goes_back_to_its_own_buffer_when_nothing_is_bound)
{
    float bound[2] = {1, 2};
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    REQUIRE(create(sum.network, NULL, &session));
    float *own = input_of(session, 0);
    EXPECT_INT(halyard_session_bind_input(session, 0, bound, sizeof bound),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT(output_of(session)[1] == 2);
    EXPECT_INT(halyard_session_bind_input(session, 0, NULL, 0), ANEURALNETWORKS_NO_ERROR);
    EXPECT(input_of(session, 0) == own);
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT(output_of(session)[1] == 0);
    halyard_session_free(session);
    test_network_close(&sum);
}

TEST(session, refuses_bound_memory_of_another_length_with_both_numbers)
{
    float memory[4] = {0};
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    REQUIRE(create(sum.network, NULL, &session));
    EXPECT_INT(halyard_session_bind_input(session, 0, memory, 12), ANEURALNETWORKS_BAD_DATA);
    EXPECT_STR(halyard_last_error(), "input 0 (a) has 8 bytes, the buffer has 12");
    EXPECT_INT(halyard_session_bind_output(session, 0, memory, 4), ANEURALNETWORKS_BAD_DATA);
    EXPECT_STR(halyard_last_error(), "output 0 (sum) has 8 bytes, the buffer has 4");
    EXPECT_INT(halyard_session_bind_input(session, 2, memory, 8), ANEURALNETWORKS_BAD_DATA);
    EXPECT_STR(halyard_last_error(), "input 2 does not exist, the session has 2");
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    halyard_session_free(session);
    test_network_close(&sum);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

TEST(session, of_another_shape_has_other_buffers_and_results)
{
    static const int32_t extents[] = {3, 2};
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    struct halyard_session *session = NULL;
    struct test_network sum;
    void *bytes;
    size_t length = 0;

    REQUIRE(test_network_sum(&sum));
    REQUIRE(create(sum.network, NULL, &session));
    EXPECT_INT(halyard_session_resize(session, 0, 2, extents), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_get_output(session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(info.extents[0], HALYARD_UNKNOWN_EXTENT);
    EXPECT_INT(halyard_session_resize(session, 1, 2, extents), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_get_input(session, 1, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(info.extents[0], 3);
    EXPECT_INT(halyard_session_input_buffer(session, 0, &bytes, &length), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(length, 6 * sizeof(float));
    ((float *)bytes)[5] = 4;
    EXPECT_INT(halyard_session_prepare(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT(halyard_session_compilation(session) != NULL);
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_get_output(session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(info.extents[0], 3);
    EXPECT(output_of(session)[5] == 4);
    halyard_session_free(session);
    test_network_close(&sum);
}

TEST(session, refuses_shapes_that_are_none)
{
    static const int32_t negative[] = {1, -3}, many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    REQUIRE(create(sum.network, NULL, &session));
    EXPECT_INT(halyard_session_resize(session, 0, 2, negative), ANEURALNETWORKS_BAD_DATA);
    EXPECT_STR(halyard_last_error(), "input 0 (a): extent 1 is -3");
    EXPECT_INT(halyard_session_resize(session, 0, 9, many), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_session_resize(session, 2, 1, many), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    halyard_session_free(session);
    test_network_close(&sum);
}

/* A network may not go with a shape; with another one it does. */
TEST(session, survives_a_shape_that_the_network_cannot_have)
{
    static const int32_t wrong[] = {1, 3}, right[] = {1, 2};
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    REQUIRE(create(sum.network, NULL, &session));
    EXPECT_INT(halyard_session_resize(session, 0, 2, wrong), ANEURALNETWORKS_NO_ERROR);
    EXPECT(halyard_session_run(session) != ANEURALNETWORKS_NO_ERROR);
    EXPECT(*halyard_last_error() != '\0');
    EXPECT_INT(halyard_session_resize(session, 0, 2, right), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    halyard_session_free(session);
    test_network_close(&sum);
}

TEST(session, that_compiles_later_compiles_with_the_first_run)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    options.compile_later = true;
    REQUIRE(create(sum.network, &options, &session));
    EXPECT(halyard_session_compilation(session) == NULL);
    EXPECT_INT(halyard_session_operator_of(session, 0), UINT32_MAX);
    input_of(session, 0)[0] = 2;
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT(output_of(session)[0] == 2);
    EXPECT(halyard_session_compilation(session) != NULL);
    EXPECT_INT(halyard_session_operator_of(session, 0), 0);
    EXPECT_INT(halyard_session_operator_of(session, 1), UINT32_MAX);
    halyard_session_free(session);
    test_network_close(&sum);
}

/* ---- Options --------------------------------------------------------------------------------- */

TEST(session, runs_on_the_devices_that_are_named)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_plan_operation operation = {.struct_size = sizeof operation};
    const ANeuralNetworksDevice *devices[1];
    ANeuralNetworksDevice *device = NULL;
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    EXPECT_INT(ANeuralNetworks_getDevice(0, &device), ANEURALNETWORKS_NO_ERROR);
    devices[0] = device;
    options.devices = devices;
    options.device_count = 1;
    REQUIRE(create(sum.network, &options, &session));
    devices[0] = NULL; /* the session has a list of its own */
    EXPECT_INT(
        halyard_compilation_get_operation(halyard_session_compilation(session), 0, &operation),
        ANEURALNETWORKS_NO_ERROR);
    EXPECT(operation.device == device);
    halyard_session_free(session);
    test_network_close(&sum);
}

TEST(session, takes_options_of_older_and_newer_callers)
{
    struct {
        struct halyard_session_options options;
        uint64_t beyond[4];
    } newer = {.options = HALYARD_SESSION_OPTIONS, .beyond = {1, 2, 3, 4}};
    struct halyard_session_options older = HALYARD_SESSION_OPTIONS;
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    newer.options.struct_size = sizeof newer;
    REQUIRE(create(sum.network, &newer.options, &session));
    halyard_session_free(session);
    older.struct_size = offsetof(struct halyard_session_options, device_count);
    older.device_count = 3; /* beyond what this caller has */
    REQUIRE(create(sum.network, &older, &session));
    halyard_session_free(session);
    older.struct_size = sizeof older.struct_size;
    EXPECT_INT(halyard_session_create(sum.network, &older, &session), ANEURALNETWORKS_BAD_DATA);
    EXPECT(session == NULL);
    test_network_close(&sum);
}

static void expect_refused(struct halyard_network *network, struct halyard_session_options options,
                           int result, const char *expected)
{
    struct halyard_session *session = NULL;

    EXPECT_INT(halyard_session_create(network, &options, &session), result);
    EXPECT(session == NULL);
    EXPECT_CONTAINS(halyard_last_error(), expected);
}

TEST(session, refuses_options_that_are_wrong)
{
    const struct halyard_session_options defaults = HALYARD_SESSION_OPTIONS;
    struct halyard_session_options options = defaults;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    options.signature = 1;
    expect_refused(sum.network, options, ANEURALNETWORKS_BAD_DATA,
                   "signature 1 does not exist, the network has 1");
    options = defaults;
    options.preference = 7;
    expect_refused(sum.network, options, ANEURALNETWORKS_BAD_DATA, "preference is 7");
    options = defaults;
    options.priority = 7;
    expect_refused(sum.network, options, ANEURALNETWORKS_BAD_DATA, "priority is 7");
    options = defaults;
    options.device_count = 1;
    expect_refused(sum.network, options, ANEURALNETWORKS_UNEXPECTED_NULL, "devices is NULL");
    test_network_close(&sum);
}

TEST(session, of_more_operations_than_allowed_is_refused_with_both_numbers)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct test_network wide;

    REQUIRE(test_network_long(4, &wide));
    options.max_operations = 1;
    expect_refused(wide.network, options, ANEURALNETWORKS_BAD_DATA,
                   "lowers to 2 operations, at most 1 are allowed");
    test_network_close(&wide);
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

TEST(session, nulls_are_refused_or_give_nothing)
{
    const int null = ANEURALNETWORKS_UNEXPECTED_NULL;
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    struct halyard_session *session = NULL;
    struct test_network sum;
    int32_t extents[] = {1};
    void *bytes;
    size_t length;

    REQUIRE(test_network_sum(&sum));
    EXPECT_INT(halyard_session_create(NULL, NULL, &session), null);
    EXPECT_STR(halyard_last_error(), "session_create: network is NULL");
    EXPECT_INT(halyard_session_create(sum.network, NULL, NULL), null);
    REQUIRE(create(sum.network, NULL, &session));
    halyard_session_free(NULL);
    EXPECT_INT(halyard_session_input_count(NULL), 0);
    EXPECT_INT(halyard_session_output_count(NULL), 0);
    EXPECT_INT(halyard_session_state_count(NULL), 0);
    EXPECT(halyard_session_compilation(NULL) == NULL);
    EXPECT_INT(halyard_session_operator_of(NULL, 0), UINT32_MAX);
    EXPECT_INT(halyard_session_get_input(NULL, 0, &info), null);
    EXPECT_INT(halyard_session_get_input(session, 0, NULL), null);
    EXPECT_INT(halyard_session_get_output(NULL, 0, &info), null);
    EXPECT_INT(halyard_session_get_output(session, 0, NULL), null);
    EXPECT_INT(halyard_session_resize(NULL, 0, 1, extents), null);
    EXPECT_INT(halyard_session_resize(session, 0, 1, NULL), null);
    EXPECT_INT(halyard_session_prepare(NULL), null);
    EXPECT_INT(halyard_session_input_buffer(NULL, 0, &bytes, &length), null);
    EXPECT_INT(halyard_session_input_buffer(session, 0, NULL, &length), null);
    EXPECT_INT(halyard_session_input_buffer(session, 0, &bytes, NULL), null);
    EXPECT_INT(halyard_session_output_buffer(NULL, 0, &bytes, &length), null);
    EXPECT_INT(halyard_session_output_buffer(session, 0, NULL, &length), null);
    EXPECT_INT(halyard_session_output_buffer(session, 0, &bytes, NULL), null);
    EXPECT_INT(halyard_session_bind_input(NULL, 0, extents, 4), null);
    EXPECT_INT(halyard_session_bind_input(session, 0, NULL, 4), null);
    EXPECT_INT(halyard_session_bind_output(NULL, 0, extents, 4), null);
    EXPECT_INT(halyard_session_bind_output(session, 0, NULL, 4), null);
    EXPECT_INT(halyard_session_run(NULL), null);
    EXPECT_INT(halyard_session_start(NULL, NULL, NULL), null);
    EXPECT_INT(halyard_session_wait(NULL), null);
    EXPECT_INT(halyard_session_cancel(NULL), null);
    EXPECT_INT(halyard_session_reset_state(NULL), null);
    EXPECT_INT(halyard_session_read_input(NULL, 0, "x", NULL, NULL, 0), null);
    EXPECT_INT(halyard_session_read_input(session, 0, NULL, NULL, NULL, 0), null);
    halyard_session_free(session);
    test_network_close(&sum);
}

TEST(session, reading_no_file_names_the_path_and_the_input)
{
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    REQUIRE(create(sum.network, NULL, &session));
    EXPECT(halyard_session_read_input(session, 1, "/proc/nonexistent.bin", NULL, NULL, 0) !=
           ANEURALNETWORKS_NO_ERROR);
    EXPECT_CONTAINS(halyard_last_error(), "input 1 (b): /proc/nonexistent.bin: No such file");
    halyard_session_free(session);
    test_network_close(&sum);
}
