#include "tuning_fixture.h"

#include <android/NeuralNetworks.h>
#include <stdlib.h>
#include <string.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/tuning/tuning.h"
#include "samples.h"
#include "tests/kit/test.h"

/* A second cache so small that the weights of 8 bits are worth cutting on every machine. */
#define L2_BYTES ((uint64_t)256 * 1024)

static struct hy_builder_type tensor_type(const struct hy_tuning_fixture *fixture, float scale,
                                          uint32_t channels)
{
    return (struct hy_builder_type){
        .type = fixture->is_float ? ANEURALNETWORKS_TENSOR_FLOAT32
                                  : ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED,
        .scale = fixture->is_float ? 0 : scale,
        .rank = 4,
        .dims = {1, 6, 6, channels},
    };
}

/* Bytes that look random, or as many floats. */
static void fill(int is_float, uint32_t seed, size_t count, void *to)
{
    if (is_float) {
        hy_sample_numbers(seed, (uint32_t)count, to);
        return;
    }
    for (size_t i = 0; i < count; i++)
        ((uint8_t *)to)[i] = (uint8_t)hy_sample_random(&seed);
}

static uint32_t add_weights(struct hy_tuning_fixture *fixture, uint32_t side, uint32_t in_c,
                            uint32_t out_c)
{
    const size_t count = (size_t)out_c * side * side * in_c;
    void *bytes = malloc(count * sizeof(float));
    struct hy_builder_type type = tensor_type(fixture, 0.01f, in_c);

    type.dims[0] = out_c;
    type.dims[1] = type.dims[2] = side;
    fill(fixture->is_float, side, count, bytes);
    const uint32_t operand = hy_builder_pool_constant(&fixture->builder, &type, bytes,
                                                      count * (fixture->is_float ? 4 : 1));
    free(bytes);
    return operand;
}

static void add_conv(struct hy_tuning_fixture *fixture, uint32_t in, uint32_t in_c, uint32_t side,
                     uint32_t out, uint32_t out_c)
{
    struct hy_builder *b = &fixture->builder;
    const struct hy_builder_type bias_type = {
        .type = fixture->is_float ? ANEURALNETWORKS_TENSOR_FLOAT32 : ANEURALNETWORKS_TENSOR_INT32,
        .scale = fixture->is_float ? 0 : 0.1f * 0.01f,
        .rank = 1,
        .dims = {out_c},
    };
    void *bias = calloc(out_c, 4);
    const uint32_t inputs[] = {
        in,
        add_weights(fixture, side, in_c, out_c),
        hy_builder_constant(b, &bias_type, bias, (uint64_t)out_c * 4),
        hy_builder_int(b, ANEURALNETWORKS_PADDING_SAME),
        hy_builder_int(b, 1),
        hy_builder_int(b, 1),
        hy_builder_int(b, ANEURALNETWORKS_FUSED_NONE),
    };
    free(bias);
    hy_builder_operation(b, HY_OP_CONV_2D, 7, inputs, 1, &out);
}

static void build(struct hy_tuning_fixture *fixture)
{
    const struct hy_builder_type in = tensor_type(fixture, 0.1f, HY_TUNING_FIRST);
    const struct hy_builder_type narrow = tensor_type(fixture, 0.1f, HY_TUNING_IN);
    const struct hy_builder_type wide = tensor_type(fixture, 0.1f, HY_TUNING_OUT);
    const struct hy_builder_type out = tensor_type(fixture, 0.5f, HY_TUNING_OUT);
    const uint32_t first = hy_builder_input(&fixture->builder, &in);
    const uint32_t second = hy_builder_temporary(&fixture->builder, &narrow);
    const uint32_t third = hy_builder_temporary(&fixture->builder, &wide);
    const uint32_t fourth = hy_builder_temporary(&fixture->builder, &narrow);
    const uint32_t last = hy_builder_output(&fixture->builder, &out);

    add_conv(fixture, first, HY_TUNING_FIRST, 3, second, HY_TUNING_IN);
    add_conv(fixture, second, HY_TUNING_IN, 1, third, HY_TUNING_OUT);
    add_conv(fixture, third, HY_TUNING_OUT, 1, fourth, HY_TUNING_IN);
    add_conv(fixture, fourth, HY_TUNING_IN, 1, last, HY_TUNING_OUT);
}

void hy_tuning_fixture_open(struct hy_tuning_fixture *fixture, uint32_t device, int is_float)
{
    const size_t size = is_float ? sizeof(float) : 1;

    *fixture = (struct hy_tuning_fixture){.is_float = is_float};
    hy_tuning_host_init(&fixture->host);
    hy_builder_init(&fixture->builder);
    fixture->in_bytes = (size_t)HY_TUNING_PIXELS * HY_TUNING_FIRST * size;
    fixture->out_bytes = (size_t)HY_TUNING_PIXELS * HY_TUNING_OUT * size;
    fixture->in = malloc(fixture->in_bytes);
    fixture->out = malloc(fixture->out_bytes);
    fill(is_float, 7, (size_t)HY_TUNING_PIXELS * HY_TUNING_FIRST, fixture->in);
    build(fixture);
    EXPECT_INT(
        hy_runner_open_on(&fixture->runner, &fixture->host.cache.host, hy_cpu_driver(), device),
        HY_STATUS_OK);
    ((struct hy_cpu_device *)fixture->runner.device)->l2_bytes = L2_BYTES;
}

void hy_tuning_fixture_close(struct hy_tuning_fixture *fixture)
{
    hy_runner_close(&fixture->runner);
    hy_tuning_host_run(&fixture->host); /* a task that was left alone */
    hy_builder_finish(&fixture->builder);
    EXPECT_INT(fixture->host.cache.released, fixture->host.cache.restored);
    hy_cache_host_finish(&fixture->host.cache);
    free(fixture->in);
    free(fixture->out);
}

static void set_request(struct hy_tuning_fixture *fixture)
{
    hy_runner_clear(&fixture->runner);
    hy_runner_input(&fixture->runner, fixture->in, fixture->in_bytes, 0, NULL);
    hy_runner_output(&fixture->runner, fixture->out, fixture->out_bytes, 0, NULL);
}

void hy_tuning_fixture_prepare(struct hy_tuning_fixture *fixture)
{
    EXPECT_INT(hy_cache_host_prepare(&fixture->runner, hy_builder_model(&fixture->builder)),
               HY_STATUS_OK);
    set_request(fixture);
}

int32_t hy_tuning_fixture_restore(struct hy_tuning_fixture *fixture)
{
    const int32_t status = hy_cache_host_restore(&fixture->runner);

    set_request(fixture);
    return status;
}

void hy_tuning_fixture_wear(struct hy_tuning_fixture *fixture)
{
    for (uint32_t i = 0; i < HY_CPU_TUNING_RUNS; i++)
        EXPECT_INT(hy_runner_execute(&fixture->runner), HY_STATUS_OK);
}

void *hy_tuning_fixture_run(struct hy_tuning_fixture *fixture)
{
    void *copy = malloc(fixture->out_bytes);

    memset(fixture->out, 0x55, fixture->out_bytes);
    EXPECT_INT(hy_runner_execute(&fixture->runner), HY_STATUS_OK);
    memcpy(copy, fixture->out, fixture->out_bytes);
    return copy;
}

void hy_tuning_fixture_expect(struct hy_tuning_fixture *fixture, const void *want)
{
    void *got = hy_tuning_fixture_run(fixture);

    EXPECT(memcmp(got, want, fixture->out_bytes) == 0);
    free(got);
}

struct hy_cpu_prepared *hy_tuning_fixture_prepared(struct hy_tuning_fixture *fixture)
{
    return fixture->runner.prepared;
}

int hy_tuning_fixture_has_blockings(struct hy_tuning_fixture *fixture)
{
    return hy_cpu_prepared_stats(fixture->runner.prepared).blockings > 0;
}
