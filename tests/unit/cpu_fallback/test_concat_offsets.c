#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/cpu_prepared.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/* What a CONCATENATION puts together lies in its output from the start, where nothing is in the
 * way. */

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32

#define WIDTH 1024u /* of the input */

static struct hy_builder_type row(uint32_t width)
{
    return (struct hy_builder_type){F32, 0, 0, 2, {1, width}};
}

static uint32_t add_negated(struct hy_builder *builder, uint32_t in, uint32_t width)
{
    const struct hy_builder_type type = row(width);
    const uint32_t out = hy_builder_temporary(builder, &type);

    hy_builder_operation(builder, HY_OP_NEG, 1, &in, 1, &out);
    return out;
}

/* By the CONCATENATION of NNAPI or that of the extension, as the width has it. */
static uint32_t add_joined(struct hy_builder *builder, uint32_t a, uint32_t b, uint32_t width)
{
    const struct hy_builder_type type = row(width);
    const uint32_t inputs[] = {a, b, hy_builder_int(builder, 1)};
    const uint32_t out = hy_builder_temporary(builder, &type);

    hy_builder_operation(builder, width / 5 % 2 ? HY_EXT_CONCATENATION : HY_OP_CONCATENATION, 3,
                         inputs, 1, &out);
    return out;
}

static void add_result(struct hy_builder *builder, uint32_t in, uint32_t width)
{
    const struct hy_builder_type type = row(width);
    const uint32_t out = hy_builder_output(builder, &type);

    hy_builder_operation(builder, HY_OP_NEG, 1, &in, 1, &out);
}

TEST(concat_offsets, parts_need_no_memory_of_their_own)
{
    const struct hy_builder_type type = row(WIDTH);
    struct hy_builder builder;
    struct hy_runner runner;

    hy_builder_init(&builder);
    const uint32_t x = hy_builder_input(&builder, &type);
    const uint32_t a = add_negated(&builder, x, WIDTH), b = add_negated(&builder, x, WIDTH);
    const uint32_t ab = add_joined(&builder, a, b, 2 * WIDTH);
    const uint32_t c = add_negated(&builder, x, WIDTH);
    add_result(&builder, add_joined(&builder, ab, c, 3 * WIDTH), 3 * WIDTH);
    EXPECT_INT(hy_runner_open(&runner, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_OK);
    EXPECT_INT(hy_cpu_prepared_stats(runner.prepared).arena_bytes, 3 * WIDTH * sizeof(float));
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}

/* The whole would take its memory long before it is needed, beside what is large in between. */
TEST(concat_offsets, parts_are_copied_where_that_takes_less_memory)
{
    const struct hy_builder_type type = row(WIDTH);
    struct hy_builder builder;
    struct hy_runner runner;

    hy_builder_init(&builder);
    const uint32_t x = hy_builder_input(&builder, &type);
    const uint32_t a = add_negated(&builder, x, WIDTH);
    const uint32_t wide = add_joined(&builder, x, x, 2 * WIDTH);
    const uint32_t wider = add_joined(&builder, wide, wide, 4 * WIDTH);
    add_result(&builder, wider, 4 * WIDTH);
    const uint32_t b = add_negated(&builder, x, WIDTH);
    add_result(&builder, add_joined(&builder, a, b, 2 * WIDTH), 2 * WIDTH);
    EXPECT_INT(hy_runner_open(&runner, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_OK);
    const struct hy_cpu_stats stats = hy_cpu_prepared_stats(runner.prepared);
    EXPECT(stats.arena_bytes <= 7 * WIDTH * sizeof(float));
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}

/* ---- Random graphs --------------------------------------------------------------------------- */

#define NODES   14u
#define RESULTS 3u
#define LONGEST 600u

/* What is in a node, computed here. */
struct node {
    uint32_t operand, width;
    float values[LONGEST];
};

static const float first[5] = {1, 2, 3, 4, 5};

static void negate(const struct node *from, struct node *to)
{
    to->width = from->width;
    for (uint32_t i = 0; i < from->width; i++)
        to->values[i] = -from->values[i];
}

/* Negations and joins of what there is. */
static void build(uint32_t seed, struct hy_builder *builder, struct node nodes[NODES])
{
    const struct hy_builder_type type = row(5);

    nodes[0].operand = hy_builder_input(builder, &type);
    nodes[0].width = 5;
    memcpy(nodes[0].values, first, sizeof first);
    for (uint32_t i = 1; i < NODES; i++) {
        const struct node *a = &nodes[hy_sample_random(&seed) % i];
        const struct node *b = &nodes[hy_sample_random(&seed) % i];
        if (hy_sample_random(&seed) % 2 && a->width + b->width <= LONGEST) {
            nodes[i].width = a->width + b->width;
            memcpy(nodes[i].values, a->values, a->width * sizeof(float));
            memcpy(nodes[i].values + a->width, b->values, b->width * sizeof(float));
            nodes[i].operand = add_joined(builder, a->operand, b->operand, nodes[i].width);
        } else {
            negate(a, &nodes[i]);
            nodes[i].operand = add_negated(builder, a->operand, a->width);
        }
    }
}

static void check(uint32_t seed)
{
    static struct node nodes[NODES], wanted;
    static float out[RESULTS][LONGEST];
    struct hy_builder builder;
    struct hy_runner runner;

    hy_builder_init(&builder);
    build(seed, &builder, nodes);
    for (uint32_t i = 0; i < RESULTS; i++)
        add_result(&builder, nodes[NODES - 1 - 2 * i].operand, nodes[NODES - 1 - 2 * i].width);
    EXPECT_INT(hy_runner_open(&runner, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_OK);
    hy_runner_input(&runner, first, sizeof first, 0, NULL);
    for (uint32_t i = 0; i < RESULTS; i++)
        hy_runner_output(&runner, out[i], nodes[NODES - 1 - 2 * i].width * sizeof(float), 0, NULL);
    for (uint32_t round = 0; round < 2; round++) { /* the second one in memory that was used */
        memset(out, 0, sizeof out);
        EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
        for (uint32_t i = 0; i < RESULTS; i++) {
            negate(&nodes[NODES - 1 - 2 * i], &wanted);
            if (memcmp(out[i], wanted.values, wanted.width * sizeof(float)) != 0)
                hy_test_fail(__FILE__, __LINE__, "seed %u: result %u is wrong", seed, i);
        }
    }
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}

TEST(concat_offsets, random_joins_give_what_they_should)
{
    for (uint32_t seed = 1; seed <= 300; seed++)
        check(seed);
}
