/* DETECTION_POSTPROCESSING whose boxes and anchors are bytes with a DEQUANTIZE each. */
#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/cache_fixture.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

enum { ANCHORS = 20000, CLASSES = 2, MOST = 25, LENGTH = 4 };

static uint8_t deltas[ANCHORS][LENGTH], anchors[ANCHORS][LENGTH];
static float scores[ANCHORS][CLASSES];

struct found {
    float scores[MOST], boxes[MOST][LENGTH];
    int32_t labels[MOST], count;
};

static void fill(void)
{
    uint32_t state = 5;

    for (int a = 0; a < ANCHORS; a++) {
        for (int i = 0; i < LENGTH; i++) {
            deltas[a][i] = (uint8_t)hy_sample_random(&state);
            anchors[a][i] = (uint8_t)hy_sample_random(&state);
        }
        scores[a][1] = (float)(hy_sample_random(&state) % 100000) / 100000;
    }
}

static uint32_t add_dequantized(struct hy_builder *builder, uint32_t stored,
                                const struct hy_builder_type *type)
{
    struct hy_builder_type real = *type;

    real.type = ANEURALNETWORKS_TENSOR_FLOAT32;
    real.scale = 0;
    real.zero_point = 0;
    const uint32_t out = hy_builder_temporary(builder, &real);
    hy_builder_operation(builder, HY_OP_DEQUANTIZE, 1, &stored, 1, &out);
    return out;
}

/* The bytes of the boxes come from a MAXIMUM, so that they have a place in the arena. */
static uint32_t add_deltas(struct hy_builder *builder, const struct hy_builder_type *type)
{
    const uint32_t in = hy_builder_input(builder, type);
    const uint32_t inputs[] = {in, in}, made = hy_builder_temporary(builder, type);

    hy_builder_operation(builder, HY_OP_MAXIMUM, 2, inputs, 1, &made);
    return add_dequantized(builder, made, type);
}

static void build(struct hy_builder *builder)
{
    const struct hy_builder_type via_float = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 3, {1, ANCHORS, CLASSES}};
    const struct hy_builder_type moves = {
        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0.01f, 127, 3, {1, ANCHORS, LENGTH}};
    const struct hy_builder_type anchors_type = {
        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0.004f, 3, 2, {ANCHORS, LENGTH}};
    const struct hy_builder_type found[] = {
        {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, MOST}},
        {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 3, {1, MOST, LENGTH}},
        {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 2, {1, MOST}},
        {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {1}}};
    uint32_t inputs[14], outputs[4], count = 0;

    inputs[count++] = hy_builder_input(builder, &via_float);
    inputs[count++] = add_deltas(builder, &moves);
    inputs[count++] = add_dequantized(
        builder, hy_builder_pool_constant(builder, &anchors_type, anchors, sizeof anchors),
        &anchors_type);
    for (int i = 0; i < 4; i++)
        inputs[count++] = hy_builder_float(builder, 5);
    inputs[count++] = hy_builder_bool(builder, false);
    inputs[count++] = hy_builder_int(builder, MOST);
    inputs[count++] = hy_builder_int(builder, 1);
    inputs[count++] = hy_builder_int(builder, 100);
    inputs[count++] = hy_builder_float(builder, 0.1f);
    inputs[count++] = hy_builder_float(builder, 0.5f);
    inputs[count++] = hy_builder_bool(builder, false);
    for (int i = 0; i < 4; i++)
        outputs[i] = hy_builder_output(builder, &found[i]);
    hy_builder_operation(builder, HY_OP_DETECTION_POSTPROCESSING, count, inputs, 4, outputs);
}

static struct found run(struct hy_runner *runner)
{
    struct found found = {0};

    hy_runner_clear(runner);
    hy_runner_input(runner, scores, sizeof scores, 0, NULL);
    hy_runner_input(runner, deltas, sizeof deltas, 0, NULL);
    hy_runner_output(runner, found.scores, sizeof found.scores, 0, NULL);
    hy_runner_output(runner, found.boxes, sizeof found.boxes, 0, NULL);
    hy_runner_output(runner, found.labels, sizeof found.labels, 0, NULL);
    hy_runner_output(runner, &found.count, sizeof found.count, 0, NULL);
    EXPECT_INT(hy_runner_execute(runner), HY_STATUS_OK);
    EXPECT_STR(runner->message, "");
    return found;
}

static void open_network(struct hy_cache_fixture *fixture, uint32_t device)
{
    fill();
    hy_cache_fixture_open(fixture, device);
    build(&fixture->builder);
    EXPECT_INT(hy_cache_fixture_prepare(fixture), HY_STATUS_OK);
    EXPECT_STR(fixture->runner.message, "");
}

TEST(stored_rows, boxes_of_bytes_are_those_of_their_floats)
{
    struct hy_cache_fixture reference, fast;

    open_network(&reference, HY_CACHE_REFERENCE);
    const struct found want = run(&reference.runner);
    hy_cache_fixture_close(&reference);
    EXPECT_INT(want.count, MOST);
    open_network(&fast, HY_CACHE_FAST);
    struct found found = run(&fast.runner);
    EXPECT(memcmp(&found, &want, sizeof want) == 0);
    EXPECT_INT(hy_cache_host_restore(&fast.runner), HY_STATUS_OK);
    found = run(&fast.runner);
    EXPECT(memcmp(&found, &want, sizeof want) == 0);
    hy_cache_fixture_close(&fast);
}

/* The bytes of the boxes, and candidates: of floats there are none. */
TEST(stored_rows, no_floats_are_made_of_boxes_and_anchors)
{
    struct hy_scratch need = {.struct_size = sizeof need};
    struct hy_cache_fixture fast;

    open_network(&fast, HY_CACHE_FAST);
    EXPECT_INT(fast.runner.table->scratch_needed(fast.runner.prepared, &need), HY_STATUS_OK);
    EXPECT(need.bytes < ANCHORS * LENGTH * (sizeof(float) + 1));
    hy_cache_fixture_close(&fast);
}
