/* Networks drawn at random, compared with the scalar reference kernels in every output. */
#include "cpu_fallback/cpu_driver.h"
#include "random_network.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <math.h>
#include <stdlib.h>

#define NETWORKS   (400 / HY_SLOWNESS)
#define OPERATIONS 14u

struct results {
    float *outputs[HY_RUNNER_ARGUMENTS];
};

static bool run(struct hy_runner *runner, struct random_network *network, struct results *results)
{
    const struct hy_model *model = hy_builder_model(&network->builder);
    int32_t status = hy_runner_prepare(runner, model);
    hy_runner_clear(runner);
    hy_runner_input(runner, network->input, network->input_length, 0, NULL);
    for (uint32_t i = 0; i < model->main->output_count; i++) {
        const uint64_t length = random_network_output_length(network, i);
        results->outputs[i] = malloc(length);
        hy_runner_output(runner, results->outputs[i], length, 0, NULL);
    }
    if (status == HY_STATUS_OK)
        status = hy_runner_execute(runner);
    if (status != HY_STATUS_OK)
        hy_test_fail(__FILE__, __LINE__, "status %d, %s", status, runner->message);
    return status == HY_STATUS_OK;
}

static void compare(const struct random_network *network, uint64_t seed,
                    const struct results *wanted, const struct results *got)
{
    for (uint32_t i = 0; i < network->builder.output_count; i++) {
        const uint64_t count = random_network_output_length(network, i) / sizeof(float);
        float largest = 1;
        for (uint64_t k = 0; k < count; k++)
            /* Both networks ran. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
            largest = fmaxf(largest, fabsf(wanted->outputs[i][k]));
        for (uint64_t k = 0; k < count; k++) {
            if (fabsf(wanted->outputs[i][k] - got->outputs[i][k]) <= 1e-5f * largest)
                continue;
            hy_test_fail(__FILE__, __LINE__, "seed %llu: output %u, element %llu is %g, not %g",
                         (unsigned long long)seed, i, (unsigned long long)k,
                         (double)got->outputs[i][k], (double)wanted->outputs[i][k]);
            break;
        }
        hy_test_pass(__FILE__, __LINE__);
    }
}

TEST(xnnpack_random, networks_compute_what_the_reference_does)
{
    struct hy_runner reference, xnnpack;
    REQUIRE(xnnpack_open(&xnnpack));
    REQUIRE(hy_runner_open(&reference, hy_cpu_driver(), 1) == HY_STATUS_OK);
    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
        struct random_network network;
        struct results wanted = {0}, got = {0};
        random_network_init(&network, seed, OPERATIONS);
        if (run(&reference, &network, &wanted) && run(&xnnpack, &network, &got))
            compare(&network, seed, &wanted, &got);
        for (uint32_t i = 0; i < HY_RUNNER_ARGUMENTS; i++) {
            free(wanted.outputs[i]);
            free(got.outputs[i]);
        }
        random_network_finish(&network);
    }
    hy_runner_close(&reference);
    hy_runner_close(&xnnpack);
}
