#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/cpu_prepared.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/cache_fixture.h"
#include "tests/unit/cpu_fallback/kit/flow_model.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/* What the CPU driver writes to its cache files, and what comes of restoring it. */

static struct hy_cpu_stats stats_of(const struct hy_cache_fixture *fixture)
{
    return hy_cpu_prepared_stats(fixture->runner.prepared);
}

/* Runs the sample network; `out` has room for `batch` rows of classes. */
static int32_t run_network(struct hy_cache_fixture *fixture, uint32_t batch, float *out)
{
    static float in[4 * HY_SAMPLE_PIXELS];
    const uint32_t dims[] = {batch, 8, 8, 3};

    hy_sample_numbers(3, sizeof in / sizeof *in, in);
    memset(out, 0, batch * HY_SAMPLE_CLASSES * sizeof *out);
    hy_runner_clear(&fixture->runner);
    hy_runner_input(&fixture->runner, in, batch * HY_SAMPLE_PIXELS * sizeof *in, 4, dims);
    hy_runner_output(&fixture->runner, out, batch * HY_SAMPLE_CLASSES * sizeof *out, 0, NULL);
    return hy_runner_execute(&fixture->runner);
}

static void expect_files(const struct hy_host *host, uint32_t device, uint32_t files)
{
    struct hy_device_info info = {.struct_size = sizeof info};
    struct hy_runner runner;

    REQUIRE(hy_runner_open_on(&runner, host, hy_cpu_driver(), device) == HY_STATUS_OK);
    EXPECT_INT(runner.table->describe(runner.device, &info), HY_STATUS_OK);
    EXPECT_INT(info.model_cache_files, files);
    EXPECT_INT(info.data_cache_files, files);
    hy_runner_close(&runner);
}

TEST(cpu_cache, only_the_fast_device_caches_and_only_where_the_host_helps)
{
    struct hy_cache_host host;

    hy_cache_host_init(&host);
    expect_files(&host.host, HY_CACHE_FAST, 1);
    expect_files(&host.host, HY_CACHE_REFERENCE, 0);
    host.host.cache_release = NULL;
    expect_files(&host.host, HY_CACHE_FAST, 0);
    hy_cache_host_finish(&host);
}

TEST(cpu_cache, restored_network_needs_neither_model_nor_compilation)
{
    float compiled[2 * HY_SAMPLE_CLASSES], restored[2 * HY_SAMPLE_CLASSES];
    struct hy_cache_fixture fixture;

    hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
    hy_sample_network(&fixture.builder, 2);
    REQUIRE(hy_cache_fixture_prepare(&fixture) == HY_STATUS_OK);
    const struct hy_cpu_stats before = stats_of(&fixture);
    EXPECT_INT(run_network(&fixture, 2, compiled), HY_STATUS_OK);
    hy_builder_finish(&fixture.builder);
    REQUIRE(hy_cache_host_restore(&fixture.runner) == HY_STATUS_OK);
    const struct hy_cpu_stats after = stats_of(&fixture);
    EXPECT_INT(after.operations, before.operations);
    EXPECT_INT(after.dropped, before.dropped);
    EXPECT_INT(after.packed, before.packed);
    EXPECT_INT(after.plans, before.plans);
    EXPECT_INT(after.blockings, before.blockings);
    EXPECT_INT(after.successors, before.successors);
    EXPECT_INT(after.arena_bytes, before.arena_bytes);
    EXPECT_INT(after.arena_least, before.arena_least);
    EXPECT_INT(before.folded, 1);
    EXPECT_INT(after.folded, 1);
    EXPECT_INT(run_network(&fixture, 2, restored), HY_STATUS_OK);
    EXPECT(memcmp(compiled, restored, sizeof compiled) == 0);
    hy_cache_fixture_close(&fixture);
}

TEST(cpu_cache, network_of_unknown_shape_is_restored_for_every_shape)
{
    float compiled[4 * HY_SAMPLE_CLASSES], restored[4 * HY_SAMPLE_CLASSES];

    for (uint32_t batch = 1; batch <= 4; batch++) {
        struct hy_cache_fixture fixture;
        hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
        hy_sample_network(&fixture.builder, 0);
        REQUIRE(hy_cache_fixture_prepare(&fixture) == HY_STATUS_OK);
        EXPECT_INT(run_network(&fixture, batch, compiled), HY_STATUS_OK);
        hy_builder_finish(&fixture.builder);
        REQUIRE(hy_cache_host_restore(&fixture.runner) == HY_STATUS_OK);
        for (uint32_t i = 0; i < 2; i++)
            EXPECT_INT(run_network(&fixture, batch, restored), HY_STATUS_OK);
        EXPECT(memcmp(compiled, restored, batch * HY_SAMPLE_CLASSES * sizeof *restored) == 0);
        hy_cache_fixture_close(&fixture);
    }
}

/* What two compilations write is the same to the last byte. */
TEST(cpu_cache, files_depend_on_the_model_alone)
{
    struct hy_cache_fixture fixtures[2];

    for (uint32_t i = 0; i < 2; i++) {
        hy_cache_fixture_open(&fixtures[i], HY_CACHE_FAST);
        hy_sample_network(&fixtures[i].builder, 2);
        REQUIRE(hy_cache_fixture_prepare(&fixtures[i]) == HY_STATUS_OK);
    }
    const struct hy_cache_host *a = &fixtures[0].host, *b = &fixtures[1].host;
    REQUIRE(a->model_length == b->model_length && a->data_length == b->data_length);
    EXPECT(memcmp(a->model, b->model, a->model_length) == 0);
    EXPECT(memcmp(a->data, b->data, a->data_length) == 0);
    hy_cache_fixture_close(&fixtures[0]);
    hy_cache_fixture_close(&fixtures[1]);
}

/* A stride, an axis, an index: whatever is no number to compute with is in the model cache. */
TEST(cpu_cache, indices_are_no_data)
{
    enum { ROWS = 64 };
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {ROWS}};
    const struct hy_builder_type table = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {ROWS, 1}};
    int32_t rows[ROWS];
    float out[ROWS], expected[ROWS];
    struct hy_cache_fixture fixture;

    hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
    for (int32_t i = 0; i < ROWS; i++) {
        rows[i] = ROWS - 1 - i;
        expected[i] = (float)rows[i];
    }
    uint32_t inputs[] = {hy_builder_pool_constant(&fixture.builder, &list, rows, sizeof rows),
                         hy_builder_input(&fixture.builder, &table)};
    uint32_t output = hy_builder_output(&fixture.builder, &table);
    hy_builder_operation(&fixture.builder, HY_OP_EMBEDDING_LOOKUP, 2, inputs, 1, &output);
    REQUIRE(hy_cache_fixture_prepare(&fixture) == HY_STATUS_OK);
    EXPECT_INT(fixture.host.data_length, 0);
    REQUIRE(hy_cache_host_restore(&fixture.runner) == HY_STATUS_OK);
    float in[ROWS];
    for (uint32_t i = 0; i < ROWS; i++)
        in[i] = (float)i;
    hy_runner_clear(&fixture.runner);
    hy_runner_input(&fixture.runner, in, sizeof in, 0, NULL);
    hy_runner_output(&fixture.runner, out, sizeof out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&fixture.runner), HY_STATUS_OK);
    EXPECT(memcmp(out, expected, sizeof out) == 0);
    hy_cache_fixture_close(&fixture);
}

/* A constant that cannot be mapped, one of which nobody knows the type, an optional argument. */
TEST(cpu_cache, operands_that_nobody_reads_may_be_anything)
{
    const struct hy_builder_type strange = {0x12340001, 0, 0, 2, {3, 3}};
    const struct hy_builder_type table = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {64}};
    float compiled[2 * HY_SAMPLE_CLASSES], restored[2 * HY_SAMPLE_CLASSES], values[64] = {0};
    struct hy_cache_fixture fixture;

    hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
    hy_builder_temporary(&fixture.builder, &strange);
    hy_builder_no_value(&fixture.builder, &table);
    hy_builder_pool_constant(&fixture.builder, &table, values, sizeof values);
    fixture.builder.pools[0].kind = HY_POOL_ASHMEM; /* this host maps no such memory */
    hy_sample_network(&fixture.builder, 2);
    REQUIRE(hy_cache_fixture_prepare(&fixture) == HY_STATUS_OK);
    EXPECT_INT(run_network(&fixture, 2, compiled), HY_STATUS_OK);
    hy_builder_finish(&fixture.builder);
    REQUIRE(hy_cache_host_restore(&fixture.runner) == HY_STATUS_OK);
    EXPECT_INT(run_network(&fixture, 2, restored), HY_STATUS_OK);
    EXPECT(memcmp(compiled, restored, sizeof compiled) == 0);
    hy_cache_fixture_close(&fixture);
}

/* ---- Control flow ---------------------------------------------------------------------------- */

static float run_flow(struct hy_cache_fixture *fixture, const uint8_t *condition, float value)
{
    static const uint32_t one[] = {1};
    float out = -1;

    hy_runner_clear(&fixture->runner);
    if (condition)
        hy_runner_input(&fixture->runner, condition, 1, 1, one);
    hy_runner_input(&fixture->runner, &value, sizeof value, 1, one);
    hy_runner_output(&fixture->runner, &out, sizeof out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&fixture->runner), HY_STATUS_OK);
    return out;
}

TEST(cpu_cache, bodies_of_control_flow_are_restored)
{
    for (uint32_t extent = 0; extent <= 1; extent++) {
        struct hy_cache_fixture fixture;
        struct hy_flow flow;
        hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
        hy_flow_init(&flow);
        hy_flow_add_body(&flow, extent, 99); /* nobody refers to it */
        const uint32_t then_body = hy_flow_add_body(&flow, extent, 1);
        const uint32_t inner = hy_flow_add_body(&flow, extent, 20);
        const uint32_t else_body = hy_flow_if_body(&flow, extent, 0, then_body, inner);
        hy_flow_if_main(&flow, extent, then_body, else_body);
        REQUIRE(hy_cache_host_prepare(&fixture.runner, hy_flow_model(&flow)) == HY_STATUS_OK);
        hy_flow_finish(&flow);
        REQUIRE(hy_cache_host_restore(&fixture.runner) == HY_STATUS_OK);
        EXPECT(run_flow(&fixture, &(uint8_t){1}, 5) == 6);
        EXPECT(run_flow(&fixture, &(uint8_t){0}, 5) == 25);
        hy_cache_fixture_close(&fixture);
    }
}

TEST(cpu_cache, loops_are_restored)
{
    struct hy_cache_fixture fixture;
    struct hy_flow flow;

    hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
    hy_flow_init(&flow);
    const uint32_t condition = hy_flow_less_body(&flow, 10);
    hy_flow_while_main(&flow, 1, condition, hy_flow_add_body(&flow, 1, 3));
    REQUIRE(hy_cache_host_prepare(&fixture.runner, hy_flow_model(&flow)) == HY_STATUS_OK);
    hy_flow_finish(&flow);
    REQUIRE(hy_cache_host_restore(&fixture.runner) == HY_STATUS_OK);
    EXPECT(run_flow(&fixture, NULL, 0) == 12);
    hy_cache_fixture_close(&fixture);
}

/* ---- Without a cache ------------------------------------------------------------------------- */

TEST(cpu_cache, trouble_with_saving_does_not_fail_the_compilation)
{
    float out[HY_SAMPLE_CLASSES];
    struct hy_cache_fixture fixture;

    hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
    fixture.host.save_status = HY_STATUS_GENERAL_FAILURE;
    hy_sample_network(&fixture.builder, 1);
    EXPECT_INT(hy_cache_fixture_prepare(&fixture), HY_STATUS_OK);
    EXPECT_INT(run_network(&fixture, 1, out), HY_STATUS_OK);
    EXPECT_INT(hy_cache_host_restore(&fixture.runner), HY_STATUS_GENERAL_FAILURE);
    EXPECT(fixture.runner.message[0] != '\0');
    hy_cache_fixture_close(&fixture);
}

TEST(cpu_cache, without_files_or_token_nothing_is_saved)
{
    struct hy_cache_fixture fixture;

    hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
    hy_sample_network(&fixture.builder, 1);
    EXPECT_INT(hy_runner_prepare(&fixture.runner, hy_builder_model(&fixture.builder)),
               HY_STATUS_OK);
    EXPECT_INT(fixture.host.saved, 0);
    hy_cache_fixture_close(&fixture);
}

TEST(cpu_cache, reference_device_neither_saves_nor_restores)
{
    struct hy_cache_fixture fixture;

    hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
    hy_sample_network(&fixture.builder, 1);
    EXPECT_INT(hy_cache_fixture_prepare(&fixture), HY_STATUS_OK);
    hy_runner_close(&fixture.runner);
    EXPECT_INT(
        hy_runner_open_on(&fixture.runner, &fixture.host.host, hy_cpu_driver(), HY_CACHE_REFERENCE),
        HY_STATUS_OK);
    EXPECT_INT(hy_cache_host_restore(&fixture.runner), HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(hy_cache_fixture_prepare(&fixture), HY_STATUS_OK);
    EXPECT_INT(fixture.host.saved, 1);
    hy_cache_fixture_close(&fixture);
}

TEST(cpu_cache, deadline_that_has_passed_ends_restoring)
{
    struct hy_cache_fixture fixture;

    hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
    hy_sample_network(&fixture.builder, 1);
    EXPECT_INT(hy_cache_fixture_prepare(&fixture), HY_STATUS_OK);
    fixture.runner.deadline = 1;
    EXPECT_INT(hy_cache_host_restore(&fixture.runner), HY_STATUS_MISSED_DEADLINE_PERSISTENT);
    hy_cache_fixture_close(&fixture);
}
