/* Choices for bodies of control flow: measured, kept and restored as those of a main subgraph. */
#include <android/NeuralNetworks.h>
#include <stdlib.h>
#include <string.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/cpu_prepared.h"
#include "cpu_fallback/tuning/tuning.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/flow_model.h"
#include "tests/unit/cpu_fallback/kit/samples.h"
#include "tests/unit/cpu_fallback/kit/tuning_host.h"

#define ROWS     36u
#define CHANNELS 256u
#define ELEMENTS (ROWS * CHANNELS)
#define BODIES   2u
#define LAYERS   3u /* of a body */

/* A second cache so small that the weights of a layer are worth cutting on every machine. */
#define L2_BYTES ((uint64_t)256 * 1024)

/* A model that is one IF: input 0 is its condition, and each body takes input 1 through several
 * FULLY_CONNECTED. */
struct fixture {
    struct hy_tuning_host host;
    struct hy_runner runner;
    struct hy_flow flow;
    uint8_t condition;
    float in[ELEMENTS], out[ELEMENTS];
};

static struct hy_builder_type matrix(uint32_t rows)
{
    return (struct hy_builder_type){
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 2, .dims = {rows, CHANNELS}};
}

static void add_layer(struct hy_builder *body, uint32_t seed, uint32_t in, uint32_t out)
{
    static float weights[CHANNELS * CHANNELS];
    const float bias[CHANNELS] = {0};
    const struct hy_builder_type weights_type = matrix(CHANNELS);
    const struct hy_builder_type bias_type = hy_flow_floats(CHANNELS);

    hy_sample_numbers(seed, CHANNELS * CHANNELS, weights);
    const uint32_t inputs[] = {
        in,
        hy_builder_constant(body, &weights_type, weights, sizeof weights),
        hy_builder_constant(body, &bias_type, bias, sizeof bias),
        hy_builder_int(body, ANEURALNETWORKS_FUSED_NONE),
    };
    hy_builder_operation(body, HY_OP_FULLY_CONNECTED, 4, inputs, 1, &out);
}

static void add_body(struct hy_flow *flow)
{
    const struct hy_builder_type type = matrix(ROWS);
    struct hy_builder *body = hy_flow_body(flow);
    uint32_t value = hy_builder_input(body, &type);

    for (uint32_t i = 0; i < LAYERS; i++) {
        const uint32_t next =
            i + 1 < LAYERS ? hy_builder_temporary(body, &type) : hy_builder_output(body, &type);
        add_layer(body, 10 * flow->body_count + i, value, next);
        value = next;
    }
}

static void add_if(struct hy_flow *flow)
{
    const struct hy_builder_type condition = {
        .type = ANEURALNETWORKS_TENSOR_BOOL8, .rank = 1, .dims = {1}};
    const struct hy_builder_type type = matrix(ROWS);
    struct hy_builder *main = &flow->main;
    const uint32_t inputs[] = {
        hy_builder_input(main, &condition),
        hy_flow_reference(main, 0),
        hy_flow_reference(main, 1),
        hy_builder_input(main, &type),
    };
    const uint32_t output = hy_builder_output(main, &type);

    hy_builder_operation(main, HY_OP_IF, 4, inputs, 1, &output);
}

static void open_fixture(struct fixture *f)
{
    *f = (struct fixture){.condition = 0};
    hy_tuning_host_init(&f->host);
    hy_flow_init(&f->flow);
    for (uint32_t i = 0; i < BODIES; i++)
        add_body(&f->flow);
    add_if(&f->flow);
    hy_sample_numbers(7, ELEMENTS, f->in);
    EXPECT_INT(hy_runner_open_on(&f->runner, &f->host.cache.host, hy_cpu_driver(), 0),
               HY_STATUS_OK);
    ((struct hy_cpu_device *)f->runner.device)->l2_bytes = L2_BYTES;
}

static void close_fixture(struct fixture *f)
{
    hy_runner_close(&f->runner);
    hy_tuning_host_run(&f->host);
    hy_flow_finish(&f->flow);
    hy_cache_host_finish(&f->host.cache);
}

/* Runs the model once, through the body that the condition chooses. */
static void run(struct fixture *f, uint8_t condition)
{
    f->condition = condition;
    memset(f->out, 0, sizeof f->out);
    hy_runner_clear(&f->runner);
    hy_runner_input(&f->runner, &f->condition, 1, 0, NULL);
    hy_runner_input(&f->runner, f->in, sizeof f->in, 0, NULL);
    hy_runner_output(&f->runner, f->out, sizeof f->out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&f->runner), HY_STATUS_OK);
}

/* Runs the model until its tuning is due, and tunes it. */
static void tune(struct fixture *f)
{
    for (uint32_t i = 0; i < HY_CPU_TUNING_RUNS; i++)
        run(f, i % 2);
    hy_tuning_host_run(&f->host);
}

/* The blocks of the bodies' newest plans, 0 without a choice. Returns the number of choices. */
static uint32_t list_blocks(const struct fixture *f, uint32_t blocks[BODIES][LAYERS])
{
    const struct hy_cpu_prepared *prepared = f->runner.prepared;
    uint32_t count = 0;

    for (uint32_t i = 0; i < BODIES * LAYERS; i++) {
        const struct hy_cpu_plan *plan = hy_cpu_plan_newest(prepared->bodies[i / LAYERS]->declared);
        const struct hy_cpu_blockings *blockings = plan->steps[i % LAYERS].step.blockings;
        blocks[i / LAYERS][i % LAYERS] = blockings ? blockings->selected : 0;
        count += blockings != NULL;
    }
    return count;
}

TEST(cpu_tuning_bodies, every_layer_of_each_body_is_restored_as_it_was_tuned)
{
    static struct fixture f;
    static float want[2][ELEMENTS];
    uint32_t tuned[BODIES][LAYERS], restored[BODIES][LAYERS];

    open_fixture(&f);
    REQUIRE(hy_cache_host_prepare(&f.runner, hy_flow_model(&f.flow)) == HY_STATUS_OK);
    for (uint8_t i = 0; i < 2; i++) {
        run(&f, i);
        memcpy(want[i], f.out, sizeof f.out);
    }
    tune(&f);
    const uint32_t count = list_blocks(&f, tuned);
    EXPECT_INT(f.host.published, count > 0);
    REQUIRE(hy_cache_host_restore(&f.runner) == HY_STATUS_OK);
    EXPECT_INT(list_blocks(&f, restored), count);
    EXPECT(memcmp(restored, tuned, sizeof tuned) == 0);
    for (uint8_t i = 0; i < 2; i++) {
        run(&f, i);
        EXPECT(memcmp(f.out, want[i], sizeof f.out) == 0);
    }
    tune(&f);
    EXPECT_INT(f.host.asked, count > 0); /* not a second time */
    close_fixture(&f);
}
