/* A driver of one device, from the functions of the kit alone. */
#include "driver_kit/fenced.h"
#include "driver_kit/reusable.h"
#include "driver_kit/single_device.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"

#include <poll.h>
#include <unistd.h>

static const struct hy_device table = {.struct_size = sizeof table, .abi = HY_DRIVER_ABI};

/* A prepared model of one output, which counts its executions. */
struct prepared {
    struct hy_single_prepared base;
    unsigned runs, runs_in_bursts;
    int64_t deadline; /* of the last one */
};

static int32_t execute(void *self, struct hy_pool_map *pools, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    struct prepared *prepared = self;
    (void)request;
    prepared->runs++;
    prepared->runs_in_bursts += pools != NULL;
    prepared->deadline = options->deadline;
    result->time_on_device = 7;
    return HY_STATUS_OK;
}

static bool argument(const void *prepared, bool is_output, uint32_t index,
                     struct hy_buffer_tensor *tensor)
{
    (void)prepared;
    *tensor = (struct hy_buffer_tensor){.type = 3, .rank = 1, .dims = {4}, .bytes = 16};
    return is_output && index == 0;
}

static uint64_t stored_bytes(const struct hy_buffer_tensor *tensor)
{
    return tensor->bytes;
}

static const struct hy_buffer_functions functions = {argument, stored_bytes, NULL};

struct fixture {
    struct hy_single_device device;
    struct prepared prepared;
    struct hy_run_options options;
    struct hy_request request;
    struct hy_result result;
};

static void fixture_init(struct fixture *fixture)
{
    *fixture = (struct fixture){
        .device = {.table = &table, .host = hy_test_host()},
        .prepared = {.base = {&fixture->device, execute}},
        .options = {.struct_size = sizeof fixture->options, .deadline = HY_NO_DEADLINE},
        .request = {.struct_size = sizeof fixture->request},
        .result = {.struct_size = sizeof fixture->result},
    };
}

TEST(single_device, instance_is_its_only_device)
{
    struct fixture fixture;
    const struct hy_device *found = NULL;
    void *device = NULL;

    fixture_init(&fixture);
    EXPECT_INT(hy_single_device_count(&fixture.device), 1);
    EXPECT_INT(hy_single_device_get(&fixture.device, 0, &found, &device), HY_STATUS_OK);
    EXPECT(found == &table && device == &fixture.device);
    EXPECT_INT(hy_single_device_get(&fixture.device, 1, &found, &device),
               HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(hy_single_device_wait(&fixture.device, 0), HY_STATUS_OK);
}

TEST(single_device, execution_and_burst_run_the_function_of_the_prepared_model)
{
    struct fixture fixture;
    void *burst = NULL;

    fixture_init(&fixture);
    EXPECT_INT(
        hy_single_execute(&fixture.prepared, &fixture.request, &fixture.options, &fixture.result),
        HY_STATUS_OK);
    EXPECT_INT(fixture.prepared.runs, 1);
    EXPECT_INT(fixture.prepared.runs_in_bursts, 0);
    REQUIRE(hy_single_burst_open(&fixture.prepared, &burst) == HY_STATUS_OK);
    EXPECT_INT(hy_mapped_burst_execute(burst, &fixture.request, &fixture.options, &fixture.result),
               HY_STATUS_OK);
    EXPECT_INT(fixture.prepared.runs_in_bursts, 1);
    hy_mapped_burst_close(burst);
}

TEST(single_device, reusable_execution_runs_it_with_the_deadline_of_the_run)
{
    struct fixture fixture;
    void *reusable = NULL;

    fixture_init(&fixture);
    REQUIRE(hy_single_reusable_create(&fixture.prepared, &fixture.request, &fixture.options,
                                      &reusable) == HY_STATUS_OK);
    EXPECT_INT(hy_reusable_execute(reusable, 5, &fixture.result), HY_STATUS_OK);
    EXPECT_INT(fixture.prepared.deadline, 5);
    hy_reusable_destroy(reusable);
}

TEST(single_device, fenced_execution_runs_it_on_a_thread)
{
    struct fixture fixture;
    void *fenced = NULL;
    int32_t fence = -1;
    struct hy_fenced_result result = {.struct_size = sizeof result};

    fixture_init(&fixture);
    REQUIRE(hy_single_execute_fenced(&fixture.prepared, &fixture.request, &fixture.options, NULL, 0,
                                     &fence, &fenced) == HY_STATUS_OK);
    struct pollfd poll_fence = {.fd = fence, .events = POLLIN};
    EXPECT_INT(poll(&poll_fence, 1, -1), 1);
    EXPECT_INT(hy_fenced_result(fenced, &result), HY_STATUS_OK);
    EXPECT_INT(fixture.prepared.runs, 1);
    close(fence);
    hy_fenced_destroy(fenced);
}

TEST(single_device, buffers_are_those_of_the_device)
{
    struct fixture fixture;
    void *buffer = NULL;
    uint32_t token = 0;
    void *const prepared[] = {&fixture.prepared};
    const struct hy_buffer_role role = {.is_output = 1, .frequency = 1};
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .prepared_count = 1,
                                        .prepared = prepared,
                                        .role_count = 1,
                                        .roles = &role};

    fixture_init(&fixture);
    REQUIRE(hy_device_buffers_init(&fixture.device.buffers, fixture.device.host, &functions, 1));
    EXPECT_INT(hy_single_buffer_create(&fixture.device, &desc, &token, &buffer), HY_STATUS_OK);
    EXPECT(token != 0);
    hy_device_buffer_destroy(buffer);
    hy_device_buffers_finish(&fixture.device.buffers);
}
