/* Nodes whose tensors do not go together, as files may have them, are legalised and lowered, or
 * refused, without harm. */
#include "tests/kit/test.h"

#include <limits.h>
#include <math.h>

#include "common/random.h"
#include "libhalyard/graph/budget.h"
#include "libhalyard/lower/legal/legalise.h"
#include "libhalyard/lower/survey.h"
#include "tests/unit/libhalyard/kit/drawn_graph.h"

/* ---- Shapes that do not go together ---------------------------------------------------------- */

static void set_extents(struct hy_drawn_graph *drawn, uint32_t tensor, const int32_t *extents)
{
    struct hy_graph_tensor *of = &drawn->graph.tensors[tensor];

    for (of->rank = 0; extents[of->rank] >= 0; of->rank++)
        of->extents[of->rank] = extents[of->rank];
}

/* The last node of the graph stays as it is, for lowering to refuse. Finishes the graph. */
static void expect_untouched(struct hy_drawn_graph *drawn, uint32_t output, int line)
{
    struct hy_graph legal;
    const enum hy_operator operator_ = drawn->graph.nodes[0].operator_;

    hy_draw_outputs(drawn, 1, &output);
    if (hy_legalise(&drawn->graph, NULL, &legal, NULL, NULL) != HY_OK) {
        hy_test_fail(__FILE__, line, "not legalised");
    } else {
        if (legal.node_count != 1 || legal.nodes[0].operator_ != operator_)
            hy_test_fail(__FILE__, line, "replaced by %u nodes", legal.node_count);
        hy_legalise_finish(&legal);
    }
    hy_draw_finish(drawn);
    CU_PASS("untouched");
}

TEST(legalise_malformed, times_of_a_tile_that_the_output_does_not_have)
{
    static const int32_t times[] = {2, 1 << 30, 1 << 30, 3, 1};
    struct hy_drawn_graph drawn = {0};
    const uint32_t x = hy_draw_tensor(&drawn, HY_ELEMENT_FLOAT32, HY_EXTENTS(2, 3, 2, 1, 2));
    const uint32_t list = hy_draw_ints(&drawn, 5, times);
    const uint32_t y =
        hy_draw_node(&drawn, HY_OPERATOR_TILE, NULL, HY_ELEMENT_FLOAT32, HY_INPUTS(x, list));

    set_extents(&drawn, y, HY_EXTENTS(4, 9, 2, 3, 2));
    expect_untouched(&drawn, y, __LINE__);
}

TEST(legalise_malformed, indices_of_batches_beyond_31_bits)
{
    const union hy_attributes attributes = {.gather = {.axis = 2, .batch_dimensions = 1}};
    struct hy_drawn_graph drawn = {0};
    const uint32_t x = hy_draw_tensor(&drawn, HY_ELEMENT_FLOAT32, HY_EXTENTS(1, 65536, 2));
    const uint32_t list = hy_draw_tensor(&drawn, HY_ELEMENT_INT32, HY_EXTENTS(1, 65536));
    const uint32_t y = hy_draw_node(&drawn, HY_OPERATOR_GATHER, &attributes, HY_ELEMENT_FLOAT32,
                                    HY_INPUTS(x, list));

    expect_untouched(&drawn, y, __LINE__);
}

/* An extent of 0 does not make the product of the others small. */
TEST(legalise_malformed, an_empty_tensor_of_large_extents)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t a = hy_draw_tensor(&drawn, HY_ELEMENT_FLOAT32, HY_EXTENTS(1, 1, 1, 1, 2));
    const uint32_t b =
        hy_draw_tensor(&drawn, HY_ELEMENT_FLOAT32, HY_EXTENTS(65536, 65536, 65536, 0, 2));
    const uint32_t y =
        hy_draw_node(&drawn, HY_OPERATOR_ADD, NULL, HY_ELEMENT_FLOAT32, HY_INPUTS(a, b));

    set_extents(&drawn, y, HY_EXTENTS(2, 2, 2, 2, 2));
    expect_untouched(&drawn, y, __LINE__);
}

TEST(legalise_malformed, parts_of_an_unpack_that_are_more_than_the_input)
{
    const union hy_attributes attributes = {.axis = {.axis = 0}};
    struct hy_drawn_graph drawn = {0};
    const uint32_t x = hy_draw_tensor(&drawn, HY_ELEMENT_FLOAT32, HY_EXTENTS(1, 1, 1, 1, 2));
    const uint32_t y =
        hy_draw_node(&drawn, HY_OPERATOR_UNPACK, &attributes, HY_ELEMENT_FLOAT32, HY_INPUTS(x));

    set_extents(&drawn, y, HY_EXTENTS(1 << 15, 1 << 15));
    expect_untouched(&drawn, y, __LINE__);
}

/* ---- Quantisation
 * ---------------------------------------------------------------------------------- */

/* A node that lowerings compute a table for. */
static void expect_obstacle(enum hy_operator operator_, float scale)
{
    struct hy_drawn_graph drawn = {0};
    struct hy_survey survey;
    const int32_t *extents = HY_EXTENTS(2, 2);
    const uint32_t a = hy_draw_tensor(&drawn, HY_ELEMENT_UINT8, extents);
    const uint32_t b = hy_draw_tensor(&drawn, HY_ELEMENT_UINT8, extents);
    const uint32_t y = hy_draw_node(&drawn, operator_, NULL, HY_ELEMENT_UINT8, HY_INPUTS(a, b));

    set_extents(&drawn, y, extents);
    hy_draw_scale(&drawn, a, 0.5f, 3);
    hy_draw_scale(&drawn, b, 0.5f, 3);
    hy_draw_scale(&drawn, y, scale, 3);
    hy_draw_inputs(&drawn, 2, (const uint32_t[]){a, b});
    hy_draw_outputs(&drawn, 1, &y);
    REQUIRE(hy_survey_make(&drawn.graph, &survey, NULL) == HY_OK);
    EXPECT_CONTAINS(survey.nodes[0].obstacle, "tensor 2 ");
    EXPECT_CONTAINS(survey.nodes[0].obstacle, ", must be finite and above 0");
    hy_survey_finish(&survey);
    hy_draw_finish(&drawn);
}

TEST(legalise_malformed, a_scale_that_no_step_has_is_refused_with_its_tensor)
{
    static const float scales[] = {0.0f, -0.0f, -1.0f, INFINITY, NAN};

    for (uint32_t i = 0; i < 5; i++) {
        expect_obstacle(HY_OPERATOR_MUL, scales[i]);
        expect_obstacle(HY_OPERATOR_DIV, scales[i]);
        expect_obstacle(HY_OPERATOR_SQUARED_DIFFERENCE, scales[i]);
    }
}

/* ---- Any node -------------------------------------------------------------------------------- */

enum { SEEDS = 20000, TENSORS = 8, MOST_INPUTS = 6 };

#define MEMORY ((uint64_t)16 << 20)

/* Mostly small, so that many nodes go together. */
static int32_t pick_extent(struct hy_random *random)
{
    static const int32_t large[] = {0, 46341, 65536, 1 << 30, INT32_MAX, HY_UNKNOWN_EXTENT};

    if (hy_random_below(random, 12) == 0)
        return large[hy_random_below(random, sizeof large / sizeof *large)];
    return 1 + (int32_t)hy_random_below(random, 3);
}

static enum hy_element pick_element(struct hy_random *random)
{
    static const enum hy_element elements[] = {
        HY_ELEMENT_FLOAT32, HY_ELEMENT_FLOAT32, HY_ELEMENT_FLOAT32, HY_ELEMENT_UINT8,
        HY_ELEMENT_INT8,    HY_ELEMENT_INT8,    HY_ELEMENT_INT32,   HY_ELEMENT_INT32,
        HY_ELEMENT_INT64,   HY_ELEMENT_FLOAT16, HY_ELEMENT_BOOL,    HY_ELEMENT_INT16};
    return elements[hy_random_below(random, sizeof elements / sizeof *elements)];
}

/* The reader of files lets no zero point pass that its type does not have. */
static int32_t pick_zero_point(enum hy_element element, struct hy_random *random)
{
    static const int32_t large[] = {INT32_MIN, INT32_MAX, 128, -32768};

    if (element == HY_ELEMENT_INT8)
        return (int32_t)hy_random_below(random, 256) - 128;
    if (element == HY_ELEMENT_UINT8)
        return (int32_t)hy_random_below(random, 256);
    return hy_random_below(random, 3) ? 0 : large[hy_random_below(random, 4)];
}

static void pick_scale(struct hy_drawn_graph *drawn, uint32_t tensor, struct hy_random *random)
{
    static const float scales[] = {0.5f, 0.25f, 1.0f, 1e-30f, 1e30f, 0.0f, -0.0f, 1e-44f};
    const float scale = scales[hy_random_below(random, hy_random_below(random, 4) ? 3 : 8)];

    if (hy_random_below(random, 4) > 0)
        hy_draw_scale(drawn, tensor, scale,
                      pick_zero_point(drawn->graph.tensors[tensor].element, random));
}

static void pick_shape(struct hy_graph_tensor *tensor, struct hy_random *random)
{
    tensor->rank = hy_random_below(random, HY_GRAPH_MAX_RANK + 1);
    for (uint32_t i = 0; i < tensor->rank; i++)
        tensor->extents[i] = pick_extent(random);
}

/* A few axes, extents, indices. */
static uint32_t draw_numbers(struct hy_drawn_graph *drawn, struct hy_random *random)
{
    static const int32_t large[] = {-1, -2, 65536, 1 << 30, INT32_MAX, INT32_MIN};
    int32_t numbers[HY_GRAPH_MAX_RANK];
    const uint32_t count = hy_random_below(random, HY_GRAPH_MAX_RANK + 1);

    for (uint32_t i = 0; i < HY_GRAPH_MAX_RANK; i++)
        numbers[i] = hy_random_below(random, 6) ? (int32_t)hy_random_below(random, 4)
                                                : large[hy_random_below(random, 6)];
    if (count == 0)
        return hy_draw_int(drawn, numbers[0]);
    const uint32_t tensor = hy_draw_ints(drawn, count, numbers);
    if (count % 2 == 0 && hy_random_below(random, 2))
        set_extents(drawn, tensor, HY_EXTENTS((int32_t)count / 2, 2));
    return tensor;
}

static void draw_constant(struct hy_drawn_graph *drawn, struct hy_graph_tensor *tensor)
{
    uint64_t bytes;

    if (!hy_element_bytes(tensor->element, tensor->rank, tensor->extents, &bytes) || bytes > 4096)
        return;
    tensor->data = hy_arena_alloc(&drawn->graph.arena, bytes + 1);
    tensor->bytes = bytes;
    memset((void *)(uintptr_t)tensor->data, 1, bytes);
}

static uint32_t draw_tensor(struct hy_drawn_graph *drawn, struct hy_random *random)
{
    if (hy_random_below(random, 3) == 0)
        return draw_numbers(drawn, random);
    const uint32_t index = hy_draw_tensor(drawn, pick_element(random), HY_EXTENTS(1));
    struct hy_graph_tensor *tensor = &drawn->graph.tensors[index];
    if (index > 0 && hy_random_below(random, 3) > 0) { /* like the first one */
        tensor->rank = drawn->graph.tensors[0].rank;
        tensor->element = drawn->graph.tensors[0].element;
        memcpy(tensor->extents, drawn->graph.tensors[0].extents, sizeof tensor->extents);
    } else {
        pick_shape(tensor, random);
    }
    if (hy_random_below(random, 3) == 0)
        draw_constant(drawn, tensor);
    pick_scale(drawn, index, random);
    return index;
}

static enum hy_operator pick_operator(struct hy_random *random)
{
    enum hy_operator operator_;

    do {
        operator_ = (enum hy_operator)hy_random_below(random, HY_OPERATOR_COUNT);
    } while (operator_ == HY_OPERATOR_IF || operator_ == HY_OPERATOR_WHILE); /* these have bodies */
    return operator_;
}

static void draw_node(struct hy_drawn_graph *drawn, struct hy_random *random)
{
    static const int32_t landmarks[] = {0, INT32_MAX};
    const enum hy_operator operator_ = pick_operator(random);
    const uint32_t count = 1 + hy_random_below(random, MOST_INPUTS);
    union hy_attributes attributes = {0};
    uint32_t inputs[MOST_INPUTS];

    for (uint32_t i = 0; i < sizeof attributes / 4; i++)
        ((uint32_t *)(void *)&attributes)[i] = hy_random_below(random, 2); /* any bool, too */
    if (operator_ == HY_OPERATOR_RESHAPE || operator_ == HY_OPERATOR_SQUEEZE ||
        operator_ == HY_OPERATOR_BUCKETIZE || operator_ == HY_OPERATOR_FOREIGN)
        attributes = (union hy_attributes){0}; /* these have pointers */
    if (operator_ == HY_OPERATOR_LANDMARKS_TO_TRANSFORM_MATRIX) {
        attributes.landmarks_matrix.count = 1 + hy_random_below(random, 2);
        attributes.landmarks_matrix.subset = landmarks;
    }
    for (uint32_t i = 0; i < count; i++)
        inputs[i] = hy_random_below(random, 12) ? hy_random_below(random, drawn->graph.tensor_count)
                                                : HY_NO_TENSOR;
    const uint32_t output =
        hy_draw_node(drawn, operator_, &attributes, pick_element(random), count, inputs);
    struct hy_graph_tensor *tensor = &drawn->graph.tensors[output];
    if (hy_random_below(random, 2)) {
        tensor->rank = drawn->graph.tensors[0].rank;
        tensor->element = drawn->graph.tensors[0].element;
        memcpy(tensor->extents, drawn->graph.tensors[0].extents, sizeof tensor->extents);
    } else {
        pick_shape(tensor, random);
    }
    pick_scale(drawn, output, random);
}

/* What the file says of shapes is taken at its word: nothing is propagated here. */
TEST(legalise_malformed, any_node_is_lowered_or_refused_in_words)
{
    uint32_t lowered = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct hy_drawn_graph drawn = {0};
        struct hy_budget budget = {.memory_limit = MEMORY};
        struct hy_survey survey;
        struct hy_random random = {seed};

        hy_graph_use_budget(&drawn.graph, &budget);
        for (uint32_t i = 0; i < TENSORS; i++)
            draw_tensor(&drawn, &random);
        draw_node(&drawn, &random);
        const uint32_t output = drawn.graph.tensor_count - 1;
        hy_draw_outputs(&drawn, 1, &output);
        if (hy_survey_make(&drawn.graph, &survey, NULL) == HY_OK) {
            const struct hy_survey_node *node = &survey.nodes[0];
            if (!*node->lowering == !*node->obstacle)
                hy_test_fail(__FILE__, __LINE__, "seed %llu: \"%s\", \"%s\"",
                             (unsigned long long)seed, node->lowering, node->obstacle);
            lowered += *node->lowering != '\0';
            hy_survey_finish(&survey);
        }
        hy_draw_finish(&drawn);
    }
    EXPECT(lowered > SEEDS / 100);
}
