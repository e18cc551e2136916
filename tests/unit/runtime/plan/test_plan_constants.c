/* What is computed from constants alone runs where it is read. */
#include "runtime/plan/search/constants.h"
#include "tests/kit/test.h"

#include <math.h>

enum { DEVICES = 2, MOST = 4 };
enum { CONSTANT, WEIGHTS, SHAPED, INPUT, MIDDLE, RESULT, OPERAND_COUNT };

/* Operation 0 makes weights of a constant, and 1 shapes them; 2 and 3 read them, and the input. */
struct fixture {
    struct hy_arena arena;
    struct hy_operand operands[OPERAND_COUNT];
    struct hy_operation operations[MOST];
    uint32_t inputs[MOST][2];
    uint32_t outputs[MOST];
    double extra[MOST * DEVICES];
    struct hy_flow flow;
    struct hy_partition partition;
};

static void set_operation(struct fixture *fixture, uint32_t index, uint32_t count, uint32_t first,
                          uint32_t second, uint32_t output)
{
    fixture->inputs[index][0] = first;
    fixture->inputs[index][1] = second;
    fixture->outputs[index] = output;
    fixture->operations[index] = (struct hy_operation){
        .input_count = count,
        .output_count = 1,
        .inputs = fixture->inputs[index],
        .outputs = &fixture->outputs[index],
    };
}

static void fixture_init(struct fixture *fixture)
{
    static const int32_t lifetimes[] = {HY_LIFETIME_CONSTANT_COPY, HY_LIFETIME_TEMPORARY,
                                        HY_LIFETIME_TEMPORARY,     HY_LIFETIME_INPUT,
                                        HY_LIFETIME_TEMPORARY,     HY_LIFETIME_OUTPUT};
    *fixture = (struct fixture){0};
    for (uint32_t i = 0; i < OPERAND_COUNT; i++)
        fixture->operands[i].lifetime = lifetimes[i];
    set_operation(fixture, 0, 1, CONSTANT, 0, WEIGHTS);
    set_operation(fixture, 1, 1, WEIGHTS, 0, SHAPED);
    set_operation(fixture, 2, 2, INPUT, SHAPED, MIDDLE);
    set_operation(fixture, 3, 1, MIDDLE, 0, RESULT);
}

/* Every operation a step of its own, on these devices; then what is to be tested. */
static bool finalize_constants(struct fixture *fixture, const uint32_t devices[MOST])
{
    const struct hy_subgraph graph = {.operand_count = OPERAND_COUNT,
                                      .operands = fixture->operands,
                                      .operation_count = MOST,
                                      .operations = fixture->operations};
    const struct hy_cost_model cost_model = {
        .device_count = DEVICES, .operation_count = MOST, .extra = fixture->extra};
    struct hy_error err;

    if (hy_flow_make(&graph, &fixture->arena, &fixture->flow, &err) != HY_OK ||
        hy_partition_alloc(MOST, &fixture->arena, &fixture->partition, &err) != HY_OK)
        return false;
    memcpy(fixture->partition.device_of, devices, MOST * sizeof *devices);
    hy_partition_split(&fixture->partition);
    return hy_partition_move_constants(&fixture->flow, &cost_model, &fixture->arena,
                                       &fixture->partition, &err) == HY_OK;
}

static void expect_steps(const struct fixture *fixture, uint32_t count,
                         const uint32_t step_of[MOST], const uint32_t device_of[MOST])
{
    const struct hy_partition *partition = &fixture->partition;

    EXPECT_INT(partition->step_count, count);
    EXPECT_INT(partition->first[count], MOST);
    for (uint32_t i = 0; i < MOST; i++) {
        EXPECT_INT(partition->step_of[i], step_of[i]);
        EXPECT_INT(partition->device_of[i], device_of[i]);
        EXPECT_INT(partition->operations[i], i); /* the order is one in which they can run */
    }
}

TEST(plan_constants, go_where_they_are_read_with_all_that_they_are_made_of)
{
    struct fixture fixture;
    fixture_init(&fixture);
    REQUIRE(finalize_constants(&fixture, (const uint32_t[]){1, 0, 1, 0}));
    expect_steps(&fixture, 2, (const uint32_t[]){0, 0, 0, 1}, (const uint32_t[]){1, 1, 1, 0});
    hy_arena_finish(&fixture.arena);
}

TEST(plan_constants, stay_where_the_reader_does_not_take_them)
{
    struct fixture fixture;
    fixture_init(&fixture);
    fixture.extra[1 * DEVICES + 1] = INFINITY; /* operation 1, device 1 */
    REQUIRE(finalize_constants(&fixture, (const uint32_t[]){1, 0, 1, 0}));
    expect_steps(&fixture, 3, (const uint32_t[]){0, 0, 1, 2}, (const uint32_t[]){0, 0, 1, 0});
    hy_arena_finish(&fixture.arena);
}

TEST(plan_constants, stay_where_the_reader_takes_them_for_more)
{
    struct fixture fixture;
    fixture_init(&fixture);
    fixture.extra[1 * DEVICES + 1] = 5;
    REQUIRE(finalize_constants(&fixture, (const uint32_t[]){0, 0, 1, 0}));
    expect_steps(&fixture, 3, (const uint32_t[]){0, 0, 1, 2}, (const uint32_t[]){0, 0, 1, 0});
    hy_arena_finish(&fixture.arena);
}

TEST(plan_constants, stay_where_two_steps_read_them)
{
    struct fixture fixture;
    fixture_init(&fixture);
    set_operation(&fixture, 3, 2, MIDDLE, SHAPED, RESULT);
    REQUIRE(finalize_constants(&fixture, (const uint32_t[]){0, 0, 1, 0}));
    expect_steps(&fixture, 3, (const uint32_t[]){0, 0, 1, 2}, (const uint32_t[]){0, 0, 1, 0});
    hy_arena_finish(&fixture.arena);
}

TEST(plan_constants, stay_where_they_are_an_output)
{
    struct fixture fixture;
    fixture_init(&fixture);
    fixture.operands[SHAPED].lifetime = HY_LIFETIME_OUTPUT;
    REQUIRE(finalize_constants(&fixture, (const uint32_t[]){0, 0, 1, 0}));
    expect_steps(&fixture, 3, (const uint32_t[]){0, 0, 1, 2}, (const uint32_t[]){0, 0, 1, 0});
    hy_arena_finish(&fixture.arena);
}

TEST(plan_constants, are_not_what_depends_on_an_input)
{
    struct fixture fixture;
    fixture_init(&fixture);
    set_operation(&fixture, 0, 1, INPUT, 0, WEIGHTS);
    REQUIRE(finalize_constants(&fixture, (const uint32_t[]){0, 1, 0, 1}));
    expect_steps(&fixture, 4, (const uint32_t[]){0, 1, 2, 3}, (const uint32_t[]){0, 1, 0, 1});
    hy_arena_finish(&fixture.arena);
}
