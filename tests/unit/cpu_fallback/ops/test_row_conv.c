/* FULLY_CONNECTED of one row in bytes, whose filter is read where the model has it. */
#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/kernels/kernels.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/cache_fixture.h"
#include "tests/unit/cpu_fallback/kit/quota_host.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

enum { DEPTH = 512, UNITS = 200, MOST_ROWS = 3, FILTER_BYTES = DEPTH * UNITS };

static uint8_t filter[FILTER_BYTES], in[MOST_ROWS * DEPTH];
static int32_t bias[UNITS];

static void fill(void)
{
    uint32_t state = 9;

    for (int i = 0; i < FILTER_BYTES; i++)
        filter[i] = (uint8_t)hy_sample_random(&state);
    for (int i = 0; i < MOST_ROWS * DEPTH; i++)
        in[i] = (uint8_t)hy_sample_random(&state);
    for (int i = 0; i < UNITS; i++)
        bias[i] = (int32_t)(hy_sample_random(&state) % 2000) - 1000;
}

/* `rows` 0: the request tells. */
static void build(struct hy_builder *builder, uint32_t rows)
{
    const struct hy_builder_type row = {
        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0.5f, 120, 2, {rows, DEPTH}};
    const struct hy_builder_type out = {
        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 128, 100, 2, {rows, UNITS}};
    const struct hy_builder_type matrix = {
        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0.25f, 131, 2, {UNITS, DEPTH}};
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_INT32, 0.125f, 0, 1, {UNITS}};

    fill();
    const uint32_t inputs[] = {hy_builder_input(builder, &row),
                               hy_builder_pool_constant(builder, &matrix, filter, sizeof filter),
                               hy_builder_constant(builder, &list, bias, sizeof bias),
                               hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE)};
    const uint32_t output = hy_builder_output(builder, &out);
    hy_builder_operation(builder, HY_OP_FULLY_CONNECTED, 4, inputs, 1, &output);
}

static void run(struct hy_runner *runner, uint32_t rows, uint8_t *out)
{
    const uint32_t in_dims[] = {rows, DEPTH}, out_dims[] = {rows, UNITS};

    memset(out, 0, (size_t)rows * UNITS);
    hy_runner_clear(runner);
    hy_runner_input(runner, in, (uint64_t)rows * DEPTH, 2, in_dims);
    hy_runner_output(runner, out, (uint64_t)rows * UNITS, 2, out_dims);
    EXPECT_INT(hy_runner_execute(runner), HY_STATUS_OK);
}

static void run_reference(uint32_t rows, uint8_t *out)
{
    struct hy_cache_fixture fixture;

    hy_cache_fixture_open(&fixture, HY_CACHE_REFERENCE);
    build(&fixture.builder, rows);
    EXPECT_INT(hy_cache_fixture_prepare(&fixture), HY_STATUS_OK);
    run(&fixture.runner, rows, out);
    hy_cache_fixture_close(&fixture);
}

static bool has_kernel(void)
{
    return hy_kernels_fast()->row_conv[HY_ELEMENT_U8].run != NULL;
}

TEST(row_conv, a_filter_of_one_row_has_no_packed_copy)
{
    struct hy_quota_host host;
    struct hy_builder builder;
    struct hy_runner runner;

    if (!has_kernel())
        return;
    hy_quota_host_init(&host);
    hy_builder_init(&builder);
    build(&builder, 1);
    EXPECT_INT(hy_runner_open_on(&runner, &host.cache.host, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_OK);
    EXPECT(host.reserved > 0 && host.reserved < FILTER_BYTES / 2);
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
    hy_quota_host_finish(&host);
}

TEST(row_conv, a_cached_filter_is_there_once_and_gives_the_same_bytes)
{
    static uint8_t want[UNITS], out[UNITS];
    struct hy_cache_fixture fixture;

    run_reference(1, want);
    hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
    build(&fixture.builder, 1);
    EXPECT_INT(hy_cache_fixture_prepare(&fixture), HY_STATUS_OK);
    run(&fixture.runner, 1, out);
    EXPECT(memcmp(out, want, sizeof out) == 0);
    EXPECT(fixture.host.data_length < FILTER_BYTES + FILTER_BYTES / 2);
    EXPECT_INT(hy_cache_host_restore(&fixture.runner), HY_STATUS_OK);
    run(&fixture.runner, 1, out);
    EXPECT(memcmp(out, want, sizeof out) == 0);
    hy_cache_fixture_close(&fixture);
}

/* One row first: weights packed for it would not serve the others. */
TEST(row_conv, rows_that_the_request_tells_share_packed_weights)
{
    static uint8_t want[MOST_ROWS * UNITS], out[MOST_ROWS * UNITS];
    struct hy_quota_host host;
    struct hy_builder builder;
    struct hy_runner runner;

    hy_quota_host_init(&host);
    hy_builder_init(&builder);
    build(&builder, 0);
    EXPECT_INT(hy_runner_open_on(&runner, &host.cache.host, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_OK);
    for (uint32_t rows = 1; rows <= MOST_ROWS; rows++) {
        run_reference(rows, want);
        run(&runner, rows, out);
        EXPECT(memcmp(out, want, (size_t)rows * UNITS) == 0);
        EXPECT(!has_kernel() ||
               (host.reserved >= FILTER_BYTES && host.reserved < 2 * FILTER_BYTES));
    }
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
    hy_quota_host_finish(&host);
}
