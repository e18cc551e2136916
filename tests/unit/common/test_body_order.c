/* In which order bodies of IF and WHILE come, and which models have none. */
#include "common/model/body_order.h"

#include "common/operations/control_flow.h"
#include "tests/kit/test.h"

#define BODIES (HY_CONTROL_FLOW_DEPTH + 2)

/* A main subgraph and bodies, each of which refers to at most two others. */
struct nest {
    struct hy_operand operands[BODIES + 1][2];
    struct hy_subgraph graphs[BODIES + 1]; /* the main one last */
    const struct hy_subgraph *referenced[BODIES];
    struct hy_model model;
};

static void init_nest(struct nest *nest, uint32_t count)
{
    *nest = (struct nest){.model = {.struct_size = sizeof nest->model,
                                    .main = &nest->graphs[BODIES],
                                    .referenced = nest->referenced,
                                    .referenced_count = count}};
    for (uint32_t i = 0; i <= BODIES; i++)
        nest->graphs[i] = (struct hy_subgraph){.struct_size = sizeof *nest->graphs,
                                               .operands = nest->operands[i]};
    for (uint32_t i = 0; i < BODIES; i++)
        nest->referenced[i] = &nest->graphs[i];
}

static void refer(struct nest *nest, uint32_t from, uint32_t to)
{
    nest->operands[from][nest->graphs[from].operand_count++] =
        (struct hy_operand){.lifetime = HY_LIFETIME_SUBGRAPH, .location = {.offset = to}};
}

/* The main subgraph refers to body 0, and each body to the next one. */
static void chain(struct nest *nest, uint32_t count)
{
    init_nest(nest, count);
    refer(nest, BODIES, 0);
    for (uint32_t i = 0; i + 1 < count; i++)
        refer(nest, i, i + 1);
}

/* Both answers, which are the same where the main subgraph needs all bodies. */
static void expect(const struct nest *nest, enum hy_code want, const char *expected)
{
    struct hy_arena memory = {0};
    struct hy_body_order order;
    struct hy_error err = {0};

    EXPECT_INT(hy_body_order_find(&nest->model, &memory, &order, &err), want);
    EXPECT_CONTAINS(err.text, expected);
    EXPECT_INT(hy_body_order_check(&nest->model, &memory, NULL), want);
    hy_arena_finish(&memory);
}

TEST(body_order, a_body_comes_after_those_it_refers_to)
{
    struct nest nest;
    struct hy_arena memory = {0};
    struct hy_body_order order;

    init_nest(&nest, 4); /* nothing needs body 1 */
    refer(&nest, BODIES, 0);
    refer(&nest, BODIES, 2);
    refer(&nest, 0, 3);
    refer(&nest, 0, 2);
    refer(&nest, 3, 2);
    REQUIRE(hy_body_order_find(&nest.model, &memory, &order, NULL) == HY_OK);
    REQUIRE(order.count == 3);
    EXPECT_INT(order.bodies[0], 2);
    EXPECT_INT(order.bodies[1], 3);
    EXPECT_INT(order.bodies[2], 0);
    hy_arena_finish(&memory);
}

TEST(body_order, a_model_without_bodies_takes_no_memory)
{
    struct nest nest;
    struct hy_arena memory = {0};
    struct hy_body_order order;

    init_nest(&nest, 0);
    EXPECT_INT(hy_body_order_find(&nest.model, &memory, &order, NULL), HY_OK);
    EXPECT_INT(order.count, 0);
    EXPECT(memory.newest == NULL);
}

TEST(body_order, depth_has_a_limit)
{
    struct nest nest;

    chain(&nest, HY_CONTROL_FLOW_DEPTH);
    expect(&nest, HY_OK, "");
    chain(&nest, HY_CONTROL_FLOW_DEPTH + 1);
    expect(&nest, HY_BAD_DATA, "models nest deeper than 16");
    refer(&nest, BODIES, HY_CONTROL_FLOW_DEPTH); /* seen before at a smaller depth */
    expect(&nest, HY_BAD_DATA, "models nest deeper than 16");
}

TEST(body_order, circles_and_references_to_nowhere_are_refused)
{
    struct nest nest;

    chain(&nest, 3);
    refer(&nest, 2, 0);
    expect(&nest, HY_BAD_DATA, "model 0 contains itself");
    chain(&nest, 3);
    refer(&nest, 2, 3);
    expect(&nest, HY_BAD_DATA, "model 3 does not exist, there are 3");
}

TEST(body_order, bodies_that_nothing_needs_are_checked_where_all_are)
{
    struct nest nest;
    struct hy_arena memory = {0};
    struct hy_body_order order;

    init_nest(&nest, 2);
    refer(&nest, 0, 1);
    EXPECT_INT(hy_body_order_check(&nest.model, &memory, NULL), HY_OK);
    refer(&nest, 1, 0);
    EXPECT_INT(hy_body_order_find(&nest.model, &memory, &order, NULL), HY_OK);
    EXPECT_INT(order.count, 0);
    EXPECT_INT(hy_body_order_check(&nest.model, &memory, NULL), HY_BAD_DATA);
    chain(&nest, HY_CONTROL_FLOW_DEPTH + 1);
    nest.graphs[BODIES].operand_count = 0; /* each of these bodies might be a main subgraph */
    EXPECT_INT(hy_body_order_check(&nest.model, &memory, NULL), HY_OK);
    hy_arena_finish(&memory);
}
