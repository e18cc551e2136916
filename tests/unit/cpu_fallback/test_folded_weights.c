/* Weights that the driver folds, floats of int8 constants say, and then packs. */
#include <android/NeuralNetworksTypes.h>

#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/model_builder.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/quota_host.h"

enum { UNITS = 192, FLOAT_BYTES = UNITS * UNITS * 4 };

/* A FULLY_CONNECTED on a line of UNITS numbers, whose weights are int8 with a DEQUANTIZE. */
struct network {
    struct hy_quota_host host;
    struct hy_builder builder;
    struct hy_runner runner;
    int8_t weights[UNITS * UNITS];
    float in[UNITS], out[UNITS], sums[UNITS * UNITS];
};

static const struct hy_builder_type line = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, UNITS}};
static const struct hy_builder_type square = {
    ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {UNITS, UNITS}};

static void init(struct network *network)
{
    memset(network, 0, sizeof *network);
    hy_quota_host_init(&network->host);
    hy_builder_init(&network->builder);
    for (int i = 0; i < UNITS * UNITS; i++)
        network->weights[i] = (int8_t)(i * 7 % 23 - 11);
    for (int i = 0; i < UNITS; i++)
        network->in[i] = (float)(i % 5);
}

static void finish(struct network *network)
{
    hy_runner_close(&network->runner);
    EXPECT_INT(network->host.reserved, 0);
    hy_builder_finish(&network->builder);
    hy_quota_host_finish(&network->host);
}

/* Weights in steps of 0.5 as floats, of a type that kernels do not read as it is stored. */
static uint32_t add_weights(struct network *network)
{
    const struct hy_builder_type stored = {
        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 0, 2, {UNITS, UNITS}};
    const uint32_t from = hy_builder_pool_constant(&network->builder, &stored, network->weights,
                                                   sizeof network->weights);
    const uint32_t weights = hy_builder_temporary(&network->builder, &square);
    hy_builder_operation(&network->builder, ANEURALNETWORKS_DEQUANTIZE, 1, &from, 1, &weights);
    return weights;
}

static void add_product(struct network *network, uint32_t in, uint32_t weights)
{
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {UNITS}};
    static const float zeros[UNITS];
    const uint32_t operands[] = {
        in, weights, hy_builder_pool_constant(&network->builder, &list, zeros, sizeof zeros),
        hy_builder_int(&network->builder, ANEURALNETWORKS_FUSED_NONE)};
    const uint32_t out = hy_builder_output(&network->builder, &line);
    hy_builder_operation(&network->builder, ANEURALNETWORKS_FULLY_CONNECTED, 4, operands, 1, &out);
}

static void open_network(struct network *network)
{
    EXPECT_INT(hy_runner_open_on(&network->runner, &network->host.cache.host, hy_cpu_driver(), 0),
               HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&network->runner, hy_builder_model(&network->builder)),
               HY_STATUS_OK);
}

static void expect_product(const struct network *network)
{
    for (int i = 0; i < UNITS; i++) {
        float want = 0;
        for (int j = 0; j < UNITS; j++)
            want += 0.5f * (float)network->weights[i * UNITS + j] * network->in[j]; /* exact */
        if (network->out[i] != want)
            hy_test_fail(__FILE__, __LINE__, "element %d is %g, expected %g", i,
                         (double)network->out[i], (double)want);
    }
    hy_test_pass(__FILE__, __LINE__);
}

TEST(folded_weights, weights_that_are_packed_are_kept_once)
{
    struct network network;
    init(&network);
    const uint32_t in = hy_builder_input(&network.builder, &line);
    add_product(&network, in, add_weights(&network));
    open_network(&network);
    EXPECT(network.host.reserved >= FLOAT_BYTES);
    EXPECT(network.host.reserved < FLOAT_BYTES + FLOAT_BYTES / 2);
    for (int i = 0; i < 3; i++) {
        memset(network.out, 0, sizeof network.out);
        hy_runner_clear(&network.runner);
        hy_runner_input(&network.runner, network.in, sizeof network.in, 0, NULL);
        hy_runner_output(&network.runner, network.out, sizeof network.out, 0, NULL);
        EXPECT_INT(hy_runner_execute(&network.runner), HY_STATUS_OK);
        expect_product(&network);
    }
    finish(&network);
}

TEST(folded_weights, weights_that_another_operation_reads_stay)
{
    struct network network;
    init(&network);
    const uint32_t in = hy_builder_input(&network.builder, &line);
    const uint32_t weights = add_weights(&network);
    add_product(&network, in, weights);
    const uint32_t addends[] = {in, weights,
                                hy_builder_int(&network.builder, ANEURALNETWORKS_FUSED_NONE)};
    const uint32_t sums = hy_builder_output(&network.builder, &square);
    hy_builder_operation(&network.builder, ANEURALNETWORKS_ADD, 3, addends, 1, &sums);
    open_network(&network);
    hy_runner_clear(&network.runner);
    hy_runner_input(&network.runner, network.in, sizeof network.in, 0, NULL);
    hy_runner_output(&network.runner, network.out, sizeof network.out, 0, NULL);
    hy_runner_output(&network.runner, network.sums, sizeof network.sums, 0, NULL);
    EXPECT_INT(hy_runner_execute(&network.runner), HY_STATUS_OK);
    expect_product(&network);
    for (int i = 0; i < UNITS * UNITS; i++)
        EXPECT(network.sums[i] == 0.5f * (float)network.weights[i] + network.in[i % UNITS]);
    finish(&network);
}

TEST(folded_weights, large_constants_that_runs_read_are_made_in_each)
{
    struct network network;
    init(&network);
    const uint32_t in = hy_builder_input(&network.builder, &line);
    const uint32_t addends[] = {in, add_weights(&network),
                                hy_builder_int(&network.builder, ANEURALNETWORKS_FUSED_NONE)};
    const uint32_t sums = hy_builder_output(&network.builder, &square);
    hy_builder_operation(&network.builder, ANEURALNETWORKS_ADD, 3, addends, 1, &sums);
    open_network(&network);
    EXPECT(network.host.reserved < FLOAT_BYTES / 2);
    hy_runner_clear(&network.runner);
    hy_runner_input(&network.runner, network.in, sizeof network.in, 0, NULL);
    hy_runner_output(&network.runner, network.sums, sizeof network.sums, 0, NULL);
    EXPECT_INT(hy_runner_execute(&network.runner), HY_STATUS_OK);
    for (int i = 0; i < UNITS * UNITS; i++)
        EXPECT(network.sums[i] == 0.5f * (float)network.weights[i] + network.in[i % UNITS]);
    finish(&network);
}
