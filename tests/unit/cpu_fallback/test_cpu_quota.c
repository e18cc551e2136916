/* The quota of memory: the host is asked for all that a model or a request makes the driver
 * allocate, and may say no to each of it. */
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/allocation_count.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/flow_model.h"
#include "tests/unit/cpu_fallback/kit/quota_host.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

#include <stdbool.h>
#include <string.h>

enum { STEPS = 4, INPUTS = 8, UNITS = 12, EXTENT = 1, BATCH = 2, MOST_FLOATS = 512 };

/* ---- What is done ---------------------------------------------------------------------------- */

struct fixture {
    struct hy_quota_host host;
    struct hy_runner runner;
    struct hy_builder builder;
    struct hy_flow flow;
    const struct hy_model *model;
    uint32_t rank, dims[4]; /* of the input; 0: as in the model */
    uint32_t in_count, out_count;
    float in[MOST_FLOATS], out[MOST_FLOATS];
    bool is_flow;
};

static void build_network(struct fixture *fixture, uint32_t batch)
{
    hy_builder_init(&fixture->builder);
    hy_sample_network(&fixture->builder, batch);
    fixture->model = hy_builder_model(&fixture->builder);
    fixture->rank = 4;
    memcpy(fixture->dims, (const uint32_t[]){BATCH, 8, 8, 3}, sizeof fixture->dims);
    fixture->in_count = BATCH * HY_SAMPLE_PIXELS;
    fixture->out_count = BATCH * HY_SAMPLE_CLASSES;
}

static void build_known(struct fixture *fixture)
{
    build_network(fixture, BATCH);
}

static void build_open(struct fixture *fixture)
{
    build_network(fixture, 0);
}

static void build_recurrent(struct fixture *fixture)
{
    hy_builder_init(&fixture->builder);
    hy_sample_lstm(&fixture->builder, STEPS, INPUTS, UNITS);
    fixture->model = hy_builder_model(&fixture->builder);
    fixture->in_count = STEPS * INPUTS;
    fixture->out_count = STEPS * UNITS;
}

static void build_loop(struct fixture *fixture)
{
    hy_flow_init(&fixture->flow);
    fixture->is_flow = true;
    const uint32_t condition = hy_flow_less_body(&fixture->flow, 3.0f);
    const uint32_t body = hy_flow_add_body(&fixture->flow, 0, 1.0f);
    hy_flow_while_main(&fixture->flow, 0, condition, body);
    fixture->model = hy_flow_model(&fixture->flow);
    fixture->rank = 1;
    fixture->dims[0] = EXTENT;
    fixture->in_count = fixture->out_count = EXTENT;
}

static void (*const builds[])(struct fixture *) = {build_known, build_open, build_recurrent,
                                                   build_loop};
enum { BUILDS = sizeof builds / sizeof *builds };

static void open_fixture(struct fixture *fixture, uint32_t build)
{
    memset(fixture, 0, sizeof *fixture);
    hy_quota_host_init(&fixture->host);
    builds[build](fixture);
    hy_sample_numbers(build + 1, fixture->in_count, fixture->in);
    EXPECT_INT(hy_runner_open_on(&fixture->runner, &fixture->host.cache.host, hy_cpu_driver(), 0),
               HY_STATUS_OK);
    fixture->runner.loop_timeout = UINT64_C(10000000000);
}

/* All that was reserved is given back. */
static void close_fixture(struct fixture *fixture)
{
    hy_runner_close(&fixture->runner);
    EXPECT_INT(fixture->host.held, 0);
    EXPECT_INT(fixture->host.reserved, 0);
    EXPECT_INT(fixture->host.cache.released, fixture->host.cache.restored);
    if (fixture->is_flow)
        hy_flow_finish(&fixture->flow);
    else
        hy_builder_finish(&fixture->builder);
    hy_quota_host_finish(&fixture->host);
}

static void set_request(struct fixture *fixture)
{
    memset(fixture->out, 0, sizeof fixture->out);
    hy_runner_clear(&fixture->runner);
    hy_runner_input(&fixture->runner, fixture->in, fixture->in_count * sizeof(float), fixture->rank,
                    fixture->rank ? fixture->dims : NULL);
    hy_runner_output(&fixture->runner, fixture->out, fixture->out_count * sizeof(float), 0, NULL);
}

/* A buffer for the model's output, made and destroyed. */
static int32_t visit_buffer(struct fixture *fixture)
{
    const struct hy_device *table = fixture->runner.table;
    static const uint32_t dims[] = {1, 1000};
    static const struct hy_buffer_role role = {.is_output = 1, .frequency = 1.0f};
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .rank = 0,
                                        .dims = dims,
                                        .prepared = &fixture->runner.prepared,
                                        .roles = &role,
                                        .prepared_count = 1,
                                        .role_count = 1};
    uint32_t token;
    void *buffer;

    const int32_t status = table->buffer_create(fixture->runner.device, &desc, &token, &buffer);
    if (status == HY_STATUS_OK)
        table->buffer_destroy(buffer);
    return status;
}

static int32_t visit_reusable(struct fixture *fixture)
{
    void *reusable;

    set_request(fixture);
    int32_t status = hy_runner_reuse(&fixture->runner, &reusable);
    if (status != HY_STATUS_OK)
        return status;
    for (int i = 0; i < 2 && status == HY_STATUS_OK; i++)
        status = hy_runner_execute_reused(&fixture->runner, reusable);
    fixture->runner.table->reusable_destroy(reusable);
    return status;
}

/* Everything once; the first failure. */
static int32_t visit(struct fixture *fixture)
{
    uint8_t supported[32];

    int32_t status = fixture->runner.table->supported_operations(fixture->runner.device,
                                                                 fixture->model, supported, NULL);
    if (status == HY_STATUS_OK)
        status = hy_cache_host_prepare(&fixture->runner, fixture->model);
    if (status == HY_STATUS_OK)
        status = visit_buffer(fixture);
    for (int i = 0; i < 2 && status == HY_STATUS_OK; i++) {
        set_request(fixture);
        status = hy_runner_execute(&fixture->runner);
    }
    return status == HY_STATUS_OK ? visit_reusable(fixture) : status;
}

static bool has_results(const struct fixture *fixture, const float *want)
{
    return memcmp(fixture->out, want, fixture->out_count * sizeof(float)) == 0;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

TEST(cpu_quota, host_is_asked_for_every_allocation)
{
    for (uint32_t build = 0; build < BUILDS; build++) {
        static struct fixture fixture;
        open_fixture(&fixture, build);
        EXPECT_INT(hy_cache_host_prepare(&fixture.runner, fixture.model), HY_STATUS_OK);
        EXPECT_INT(visit_buffer(&fixture),
                   HY_STATUS_OK); /* the table of them is the driver's own */
        const unsigned long allocated = hy_allocation_count(), asked = fixture.host.asked;
        EXPECT_INT(visit(&fixture), HY_STATUS_OK);
        EXPECT_INT(fixture.host.asked - asked, hy_allocation_count() - allocated);
        EXPECT(fixture.host.reserved > 0);
        close_fixture(&fixture);
    }
}

TEST(cpu_quota, host_is_asked_for_a_model_from_the_cache)
{
    static struct fixture fixture;
    open_fixture(&fixture, 0);
    EXPECT_INT(hy_cache_host_prepare(&fixture.runner, fixture.model), HY_STATUS_OK);
    const unsigned long allocated = hy_allocation_count(), asked = fixture.host.asked;
    EXPECT_INT(hy_cache_host_restore(&fixture.runner), HY_STATUS_OK);
    /* One is the test host's. */
    EXPECT_INT(fixture.host.asked - asked, hy_allocation_count() - allocated - 1);
    close_fixture(&fixture);
}

TEST(cpu_quota, each_refusal_in_turn_fails_the_call_and_leaves_nothing)
{
    for (uint32_t build = 0; build < BUILDS; build++) {
        static float want[MOST_FLOATS];
        static struct fixture fixture;
        unsigned long failures = 0;

        open_fixture(&fixture, build);
        EXPECT_INT(visit(&fixture), HY_STATUS_OK);
        memcpy(want, fixture.out, sizeof want);
        close_fixture(&fixture);
        for (unsigned long at = 1;; at++) {
            open_fixture(&fixture, build);
            fixture.host.refuse_at = at;
            const int32_t status = visit(&fixture);
            const bool is_over = fixture.host.refused == 0;
            if (status == HY_STATUS_OK)
                EXPECT(has_results(&fixture, want)); /* it does without, or was not refused */
            else
                EXPECT_INT(status, HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
            failures += status != HY_STATUS_OK;
            fixture.host.refuse_at = 0;
            EXPECT_INT(visit(&fixture), HY_STATUS_OK); /* the device is as good as before */
            EXPECT(has_results(&fixture, want));
            close_fixture(&fixture);
            if (is_over)
                break;
        }
        EXPECT(failures > 15);
    }
}

TEST(cpu_quota, restoring_with_each_refusal_in_turn_leaves_nothing)
{
    for (unsigned long at = 1;; at++) {
        static struct fixture fixture;
        open_fixture(&fixture, 0);
        EXPECT_INT(hy_cache_host_prepare(&fixture.runner, fixture.model), HY_STATUS_OK);
        fixture.host.refuse_at = fixture.host.asked + at;
        const int32_t status = hy_cache_host_restore(&fixture.runner);
        EXPECT(status == HY_STATUS_OK || status == HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
        const bool is_over = fixture.host.refused == 0;
        close_fixture(&fixture);
        if (is_over)
            break;
    }
}

/* A tensor of 3 GiB out of a few bytes of model: [1024, 768000] of one number, and its maximum. */
static void build_large(struct fixture *fixture)
{
    enum { FLOAT = 0, TENSOR_FLOAT = 3, TENSOR_INT = 4, FILL = 100, REDUCE_MAX = 77 };
    static const int32_t extents[] = {1024, 768000}, axes[] = {0, 1};
    const struct hy_builder_type list = {.type = TENSOR_INT, .rank = 1, .dims = {2}};
    const struct hy_builder_type number = {.type = FLOAT};
    const struct hy_builder_type large = {.type = TENSOR_FLOAT, .rank = 2, .dims = {1024, 768000}};
    const struct hy_builder_type one = {.type = TENSOR_FLOAT, .rank = 1, .dims = {1}};

    hy_builder_init(&fixture->builder);
    const uint32_t fill[] = {hy_builder_constant(&fixture->builder, &list, extents, sizeof extents),
                             hy_builder_input(&fixture->builder, &number)};
    const uint32_t middle = hy_builder_temporary(&fixture->builder, &large);
    const uint32_t reduce[] = {middle,
                               hy_builder_constant(&fixture->builder, &list, axes, sizeof axes),
                               hy_builder_bool(&fixture->builder, 0)};
    const uint32_t result = hy_builder_output(&fixture->builder, &one);
    hy_builder_operation(&fixture->builder, FILL, 2, fill, 1, &middle);
    hy_builder_operation(&fixture->builder, REDUCE_MAX, 3, reduce, 1, &result);
    fixture->model = hy_builder_model(&fixture->builder);
    fixture->in_count = fixture->out_count = 1;
}

TEST(cpu_quota, small_model_of_large_tensors_is_refused_before_they_are_there)
{
    static struct fixture fixture;

    memset(&fixture, 0, sizeof fixture);
    hy_quota_host_init(&fixture.host);
    fixture.host.most = 1 << 20;
    build_large(&fixture);
    EXPECT_INT(hy_runner_open_on(&fixture.runner, &fixture.host.cache.host, hy_cpu_driver(), 0),
               HY_STATUS_OK);
    EXPECT_INT(hy_cache_host_prepare(&fixture.runner, fixture.model), HY_STATUS_OK);
    set_request(&fixture);
    EXPECT_INT(hy_runner_execute(&fixture.runner), HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_CONTAINS(fixture.runner.message, "3145728000 bytes");
    EXPECT(fixture.host.refused > 0);
    close_fixture(&fixture);
}
