/* The quota of memory: the host is asked for all that a model or a request makes the driver
 * allocate, and may say no to each of it. */
#include "cpu_fallback/cpu_driver.h"
#include "support/allocation_count.h"
#include "test.h"
#include "tests/cpu_fallback/kit/flow_model.h"
#include "tests/cpu_fallback/kit/quota_host.h"
#include "tests/cpu_fallback/kit/samples.h"

#include <stdbool.h>
#include <string.h>

enum { STEPS = 4, INPUTS = 8, UNITS = 12, EXTENT = 1, BATCH = 2, MOST_FLOATS = 512 };

/* ---- What is done ---------------------------------------------------------------------------- */

struct scene {
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

static void build_network(struct scene *scene, uint32_t batch)
{
    hy_builder_init(&scene->builder);
    hy_sample_network(&scene->builder, batch);
    scene->model = hy_builder_model(&scene->builder);
    scene->rank = 4;
    memcpy(scene->dims, (const uint32_t[]){BATCH, 8, 8, 3}, sizeof scene->dims);
    scene->in_count = BATCH * HY_SAMPLE_PIXELS;
    scene->out_count = BATCH * HY_SAMPLE_CLASSES;
}

static void build_known(struct scene *scene)
{
    build_network(scene, BATCH);
}

static void build_open(struct scene *scene)
{
    build_network(scene, 0);
}

static void build_recurrent(struct scene *scene)
{
    hy_builder_init(&scene->builder);
    hy_sample_lstm(&scene->builder, STEPS, INPUTS, UNITS);
    scene->model = hy_builder_model(&scene->builder);
    scene->in_count = STEPS * INPUTS;
    scene->out_count = STEPS * UNITS;
}

static void build_loop(struct scene *scene)
{
    hy_flow_init(&scene->flow);
    scene->is_flow = true;
    const uint32_t condition = hy_flow_less_body(&scene->flow, 3.0f);
    const uint32_t body = hy_flow_add_body(&scene->flow, 0, 1.0f);
    hy_flow_while_main(&scene->flow, 0, condition, body);
    scene->model = hy_flow_model(&scene->flow);
    scene->rank = 1;
    scene->dims[0] = EXTENT;
    scene->in_count = scene->out_count = EXTENT;
}

static void (*const builds[])(struct scene *) = {build_known, build_open, build_recurrent,
                                                 build_loop};
enum { BUILDS = sizeof builds / sizeof *builds };

static void open_scene(struct scene *scene, uint32_t build)
{
    memset(scene, 0, sizeof *scene);
    hy_quota_host_init(&scene->host);
    builds[build](scene);
    hy_sample_numbers(build + 1, scene->in_count, scene->in);
    EXPECT_INT(hy_runner_open_on(&scene->runner, &scene->host.cache.host, hy_cpu_driver(), 0),
               HY_STATUS_OK);
    scene->runner.loop_timeout = UINT64_C(10000000000);
}

/* All that was reserved is given back. */
static void close_scene(struct scene *scene)
{
    hy_runner_close(&scene->runner);
    EXPECT_INT(scene->host.held, 0);
    EXPECT_INT(scene->host.reserved, 0);
    EXPECT_INT(scene->host.cache.released, scene->host.cache.restored);
    if (scene->is_flow)
        hy_flow_finish(&scene->flow);
    else
        hy_builder_finish(&scene->builder);
    hy_quota_host_finish(&scene->host);
}

static void set_request(struct scene *scene)
{
    memset(scene->out, 0, sizeof scene->out);
    hy_runner_clear(&scene->runner);
    hy_runner_input(&scene->runner, scene->in, scene->in_count * sizeof(float), scene->rank,
                    scene->rank ? scene->dims : NULL);
    hy_runner_output(&scene->runner, scene->out, scene->out_count * sizeof(float), 0, NULL);
}

/* A buffer for the model's output, made and destroyed. */
static int32_t visit_buffer(struct scene *scene)
{
    const struct hy_device *table = scene->runner.table;
    static const uint32_t dims[] = {1, 1000};
    static const struct hy_buffer_role role = {.is_output = 1, .frequency = 1.0f};
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .rank = 0,
                                        .dims = dims,
                                        .prepared = &scene->runner.prepared,
                                        .roles = &role,
                                        .prepared_count = 1,
                                        .role_count = 1};
    uint32_t token;
    void *buffer;

    const int32_t status = table->buffer_create(scene->runner.device, &desc, &token, &buffer);
    if (status == HY_STATUS_OK)
        table->buffer_destroy(buffer);
    return status;
}

static int32_t visit_reusable(struct scene *scene)
{
    void *reusable;

    set_request(scene);
    int32_t status = hy_runner_reuse(&scene->runner, &reusable);
    if (status != HY_STATUS_OK)
        return status;
    for (int i = 0; i < 2 && status == HY_STATUS_OK; i++)
        status = hy_runner_execute_reused(&scene->runner, reusable);
    scene->runner.table->reusable_destroy(reusable);
    return status;
}

/* Everything once; the first failure. */
static int32_t visit(struct scene *scene)
{
    uint8_t supported[32];

    int32_t status = scene->runner.table->supported_operations(scene->runner.device, scene->model,
                                                               supported, NULL);
    if (status == HY_STATUS_OK)
        status = hy_cache_host_prepare(&scene->runner, scene->model);
    if (status == HY_STATUS_OK)
        status = visit_buffer(scene);
    for (int i = 0; i < 2 && status == HY_STATUS_OK; i++) {
        set_request(scene);
        status = hy_runner_execute(&scene->runner);
    }
    return status == HY_STATUS_OK ? visit_reusable(scene) : status;
}

static bool has_results(const struct scene *scene, const float *want)
{
    return memcmp(scene->out, want, scene->out_count * sizeof(float)) == 0;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

TEST(cpu_quota, host_is_asked_for_every_allocation)
{
    for (uint32_t build = 0; build < BUILDS; build++) {
        static struct scene scene;
        open_scene(&scene, build);
        EXPECT_INT(hy_cache_host_prepare(&scene.runner, scene.model), HY_STATUS_OK);
        EXPECT_INT(visit_buffer(&scene), HY_STATUS_OK); /* the table of them is the driver's own */
        const unsigned long allocated = hy_allocation_count(), asked = scene.host.asked;
        EXPECT_INT(visit(&scene), HY_STATUS_OK);
        EXPECT_INT(scene.host.asked - asked, hy_allocation_count() - allocated);
        EXPECT(scene.host.reserved > 0);
        close_scene(&scene);
    }
}

TEST(cpu_quota, host_is_asked_for_a_model_from_the_cache)
{
    static struct scene scene;
    open_scene(&scene, 0);
    EXPECT_INT(hy_cache_host_prepare(&scene.runner, scene.model), HY_STATUS_OK);
    const unsigned long allocated = hy_allocation_count(), asked = scene.host.asked;
    EXPECT_INT(hy_cache_host_restore(&scene.runner), HY_STATUS_OK);
    /* One is the test host's. */
    EXPECT_INT(scene.host.asked - asked, hy_allocation_count() - allocated - 1);
    close_scene(&scene);
}

TEST(cpu_quota, each_refusal_in_turn_fails_the_call_and_leaves_nothing)
{
    for (uint32_t build = 0; build < BUILDS; build++) {
        static float want[MOST_FLOATS];
        static struct scene scene;
        unsigned long failures = 0;

        open_scene(&scene, build);
        EXPECT_INT(visit(&scene), HY_STATUS_OK);
        memcpy(want, scene.out, sizeof want);
        close_scene(&scene);
        for (unsigned long at = 1;; at++) {
            open_scene(&scene, build);
            scene.host.refuse_at = at;
            const int32_t status = visit(&scene);
            const bool is_over = scene.host.refused == 0;
            if (status == HY_STATUS_OK)
                EXPECT(has_results(&scene, want)); /* it does without, or was not refused */
            else
                EXPECT_INT(status, HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
            failures += status != HY_STATUS_OK;
            scene.host.refuse_at = 0;
            EXPECT_INT(visit(&scene), HY_STATUS_OK); /* the device is as good as before */
            EXPECT(has_results(&scene, want));
            close_scene(&scene);
            if (is_over)
                break;
        }
        EXPECT(failures > 15);
    }
}

TEST(cpu_quota, restoring_with_each_refusal_in_turn_leaves_nothing)
{
    for (unsigned long at = 1;; at++) {
        static struct scene scene;
        open_scene(&scene, 0);
        EXPECT_INT(hy_cache_host_prepare(&scene.runner, scene.model), HY_STATUS_OK);
        scene.host.refuse_at = scene.host.asked + at;
        const int32_t status = hy_cache_host_restore(&scene.runner);
        EXPECT(status == HY_STATUS_OK || status == HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
        const bool is_over = scene.host.refused == 0;
        close_scene(&scene);
        if (is_over)
            break;
    }
}

/* A tensor of 3 GiB out of a few bytes of model: [1024, 768000] of one number, and its maximum. */
static void build_large(struct scene *scene)
{
    enum { FLOAT = 0, TENSOR_FLOAT = 3, TENSOR_INT = 4, FILL = 100, REDUCE_MAX = 77 };
    static const int32_t extents[] = {1024, 768000}, axes[] = {0, 1};
    const struct hy_builder_type list = {.type = TENSOR_INT, .rank = 1, .dims = {2}};
    const struct hy_builder_type number = {.type = FLOAT};
    const struct hy_builder_type large = {.type = TENSOR_FLOAT, .rank = 2, .dims = {1024, 768000}};
    const struct hy_builder_type one = {.type = TENSOR_FLOAT, .rank = 1, .dims = {1}};

    hy_builder_init(&scene->builder);
    const uint32_t fill[] = {hy_builder_constant(&scene->builder, &list, extents, sizeof extents),
                             hy_builder_input(&scene->builder, &number)};
    const uint32_t middle = hy_builder_temporary(&scene->builder, &large);
    const uint32_t reduce[] = {middle,
                               hy_builder_constant(&scene->builder, &list, axes, sizeof axes),
                               hy_builder_bool(&scene->builder, 0)};
    const uint32_t result = hy_builder_output(&scene->builder, &one);
    hy_builder_operation(&scene->builder, FILL, 2, fill, 1, &middle);
    hy_builder_operation(&scene->builder, REDUCE_MAX, 3, reduce, 1, &result);
    scene->model = hy_builder_model(&scene->builder);
    scene->in_count = scene->out_count = 1;
}

TEST(cpu_quota, small_model_of_large_tensors_is_refused_before_they_are_there)
{
    static struct scene scene;

    memset(&scene, 0, sizeof scene);
    hy_quota_host_init(&scene.host);
    scene.host.most = 1 << 20;
    build_large(&scene);
    EXPECT_INT(hy_runner_open_on(&scene.runner, &scene.host.cache.host, hy_cpu_driver(), 0),
               HY_STATUS_OK);
    EXPECT_INT(hy_cache_host_prepare(&scene.runner, scene.model), HY_STATUS_OK);
    set_request(&scene);
    EXPECT_INT(hy_runner_execute(&scene.runner), HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_CONTAINS(scene.runner.message, "3145728000 bytes");
    EXPECT(scene.host.refused > 0);
    close_scene(&scene);
}
