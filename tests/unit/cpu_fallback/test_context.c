/* What an execution and its plan keep, by what they need. */
#include <string.h>

#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/cpu_prepared.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

struct network {
    struct hy_builder builder;
    struct hy_runner runner;
    float in[1 + HY_SAMPLE_PIXELS]; /* the last ones may begin between two */
    float out[HY_SAMPLE_CLASSES];
};

/* Runs the sample network once, in its first context. `batch` 0: unknown to the model. */
static const struct hy_cpu_context *run(struct network *network, uint32_t batch, size_t offset)
{
    uint32_t dims[4] = {1, 8, 8, 3};

    memset(network, 0, sizeof *network);
    hy_builder_init(&network->builder);
    hy_sample_network(&network->builder, batch);
    EXPECT_INT(hy_runner_open(&network->runner, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&network->runner, hy_builder_model(&network->builder)),
               HY_STATUS_OK);
    hy_runner_clear(&network->runner);
    hy_runner_input(&network->runner, (char *)network->in + offset,
                    HY_SAMPLE_PIXELS * sizeof *network->in, 4, dims);
    hy_runner_output(&network->runner, network->out, sizeof network->out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&network->runner), HY_STATUS_OK);
    const struct hy_cpu_prepared *prepared = network->runner.prepared;
    return prepared->contexts.slots[0].context;
}

static void finish(struct network *network)
{
    hy_runner_close(&network->runner);
    hy_builder_finish(&network->builder);
}

TEST(context, holds_nothing_for_what_the_plan_never_does)
{
    struct network network;
    const struct hy_cpu_context *context = run(&network, 1, 0);

    EXPECT(context->values && context->calls);
    EXPECT(!context->dynamic && !context->spills && !context->cached_weights);
    finish(&network);
}

TEST(context, holds_the_aligned_copy_of_an_input_between_two_elements)
{
    struct network network;
    const struct hy_cpu_context *context = run(&network, 1, 1);

    EXPECT(context->spills && !context->dynamic && !context->cached_weights);
    finish(&network);
}

TEST(context, model_that_declares_all_shapes_has_its_values_once)
{
    struct network network;

    (void)run(&network, 1, 0);
    const struct hy_cpu_prepared *prepared = network.runner.prepared;
    EXPECT(prepared->declared && prepared->program.graph.values == prepared->declared->values);
    finish(&network);
    (void)run(&network, 0, 0);
    prepared = network.runner.prepared;
    EXPECT(!prepared->declared && prepared->program.graph.values);
    finish(&network);
}
