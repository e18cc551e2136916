/* What is computed from constants alone runs where it is read. */
#include "runtime/plan/search/constants.h"
#include "test.h"

#include <math.h>

enum { DEVICES = 2, MOST = 4 };
enum { CONSTANT, WEIGHTS, SHAPED, INPUT, MIDDLE, RESULT, OPERAND_COUNT };

/* Operation 0 makes weights of a constant, and 1 shapes them; 2 and 3 read them, and the input. */
struct scene {
    struct hy_arena arena;
    struct hy_operand operands[OPERAND_COUNT];
    struct hy_operation operations[MOST];
    uint32_t inputs[MOST][2];
    uint32_t outputs[MOST];
    double extra[MOST * DEVICES];
    struct hy_flow flow;
    struct hy_partition partition;
};

static void set_operation(struct scene *scene, uint32_t index, uint32_t count, uint32_t first,
                          uint32_t second, uint32_t output)
{
    scene->inputs[index][0] = first;
    scene->inputs[index][1] = second;
    scene->outputs[index] = output;
    scene->operations[index] = (struct hy_operation){
        .input_count = count,
        .output_count = 1,
        .inputs = scene->inputs[index],
        .outputs = &scene->outputs[index],
    };
}

static void scene_init(struct scene *scene)
{
    static const int32_t lifetimes[] = {HY_LIFETIME_CONSTANT_COPY, HY_LIFETIME_TEMPORARY,
                                        HY_LIFETIME_TEMPORARY,     HY_LIFETIME_INPUT,
                                        HY_LIFETIME_TEMPORARY,     HY_LIFETIME_OUTPUT};
    *scene = (struct scene){0};
    for (uint32_t i = 0; i < OPERAND_COUNT; i++)
        scene->operands[i].lifetime = lifetimes[i];
    set_operation(scene, 0, 1, CONSTANT, 0, WEIGHTS);
    set_operation(scene, 1, 1, WEIGHTS, 0, SHAPED);
    set_operation(scene, 2, 2, INPUT, SHAPED, MIDDLE);
    set_operation(scene, 3, 1, MIDDLE, 0, RESULT);
}

/* Every operation a step of its own, on these devices; then what is to be tested. */
static bool settle(struct scene *scene, const uint32_t devices[MOST])
{
    const struct hy_subgraph graph = {.operand_count = OPERAND_COUNT,
                                      .operands = scene->operands,
                                      .operation_count = MOST,
                                      .operations = scene->operations};
    const struct hy_cost_model cost_model = {
        .device_count = DEVICES, .operation_count = MOST, .extra = scene->extra};
    struct hy_error err;

    if (hy_flow_make(&graph, &scene->arena, &scene->flow, &err) != HY_OK ||
        hy_partition_alloc(MOST, &scene->arena, &scene->partition, &err) != HY_OK)
        return false;
    memcpy(scene->partition.device_of, devices, MOST * sizeof *devices);
    hy_partition_split(&scene->partition);
    return hy_partition_settle_constants(&scene->flow, &cost_model, &scene->arena,
                                         &scene->partition, &err) == HY_OK;
}

static void expect_steps(const struct scene *scene, uint32_t count, const uint32_t step_of[MOST],
                         const uint32_t device_of[MOST])
{
    const struct hy_partition *partition = &scene->partition;

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
    struct scene scene;
    scene_init(&scene);
    REQUIRE(settle(&scene, (const uint32_t[]){1, 0, 1, 0}));
    expect_steps(&scene, 2, (const uint32_t[]){0, 0, 0, 1}, (const uint32_t[]){1, 1, 1, 0});
    hy_arena_finish(&scene.arena);
}

TEST(plan_constants, stay_where_the_reader_does_not_take_them)
{
    struct scene scene;
    scene_init(&scene);
    scene.extra[1 * DEVICES + 1] = INFINITY; /* operation 1, device 1 */
    REQUIRE(settle(&scene, (const uint32_t[]){1, 0, 1, 0}));
    expect_steps(&scene, 3, (const uint32_t[]){0, 0, 1, 2}, (const uint32_t[]){0, 0, 1, 0});
    hy_arena_finish(&scene.arena);
}

TEST(plan_constants, stay_where_the_reader_takes_them_for_more)
{
    struct scene scene;
    scene_init(&scene);
    scene.extra[1 * DEVICES + 1] = 5;
    REQUIRE(settle(&scene, (const uint32_t[]){0, 0, 1, 0}));
    expect_steps(&scene, 3, (const uint32_t[]){0, 0, 1, 2}, (const uint32_t[]){0, 0, 1, 0});
    hy_arena_finish(&scene.arena);
}

TEST(plan_constants, stay_where_two_steps_read_them)
{
    struct scene scene;
    scene_init(&scene);
    set_operation(&scene, 3, 2, MIDDLE, SHAPED, RESULT);
    REQUIRE(settle(&scene, (const uint32_t[]){0, 0, 1, 0}));
    expect_steps(&scene, 3, (const uint32_t[]){0, 0, 1, 2}, (const uint32_t[]){0, 0, 1, 0});
    hy_arena_finish(&scene.arena);
}

TEST(plan_constants, stay_where_they_are_an_output)
{
    struct scene scene;
    scene_init(&scene);
    scene.operands[SHAPED].lifetime = HY_LIFETIME_OUTPUT;
    REQUIRE(settle(&scene, (const uint32_t[]){0, 0, 1, 0}));
    expect_steps(&scene, 3, (const uint32_t[]){0, 0, 1, 2}, (const uint32_t[]){0, 0, 1, 0});
    hy_arena_finish(&scene.arena);
}

TEST(plan_constants, are_not_what_depends_on_an_input)
{
    struct scene scene;
    scene_init(&scene);
    set_operation(&scene, 0, 1, INPUT, 0, WEIGHTS);
    REQUIRE(settle(&scene, (const uint32_t[]){0, 1, 0, 1}));
    expect_steps(&scene, 4, (const uint32_t[]){0, 1, 2, 3}, (const uint32_t[]){0, 1, 0, 1});
    hy_arena_finish(&scene.arena);
}
