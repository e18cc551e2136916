#include "tools/vectors/merge.h"

#include <string.h>

#include "common/operations/operation.h"
#include "common/random.h"
#include "tools/vectors/copies.h"

/* A tensor has a copy, and the copy may have another copy; each may need a shape. */
#define COPIES_MAX        2u
#define OPERANDS_PER_COPY 2u

uint64_t hy_merge_class(const struct hy_vector *test)
{
    if (test->expect_failure)
        return HY_MERGE_ALONE;
    return (uint64_t)test->is_relaxed << 32 | test->example_count;
}

/* The capacity of all arrays of a merger. */
struct capacity {
    uint32_t operands;
    uint32_t operations;
    uint32_t inputs;
    uint32_t outputs;
    uint32_t models;
};

struct merger {
    struct hy_arena *arena;
    enum hy_merge_copies copies;
    struct hy_random chance;
    struct hy_vector_operand *operands;
    struct hy_vector_operation *operations;
    uint32_t *inputs;
    uint32_t *outputs;
    struct hy_vector_model *models;
    struct hy_vector_example *examples;
    struct capacity used;
    bool failed; /* memory has run out */
};

static struct capacity capacity_of(const struct hy_vector *const *tests, uint32_t count)
{
    struct capacity capacity = {.models = 1};
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_vector_model *main = &tests[i]->models[0];
        const uint32_t copies = main->inputs.count + COPIES_MAX * main->outputs.count;
        capacity.operands += main->operand_count + OPERANDS_PER_COPY * copies;
        capacity.operations += main->operation_count + copies;
        capacity.inputs += main->inputs.count;
        capacity.outputs += main->outputs.count * (1 + COPIES_MAX);
        capacity.models += tests[i]->model_count - 1;
    }
    return capacity;
}

/* Zeroed elements. */
static void *alloc(struct merger *merger, uint32_t count, size_t size)
{
    void *memory = hy_arena_alloc(merger->arena, (count + 1) * size);
    if (memory)
        memset(memory, 0, (count + 1) * size);
    merger->failed |= !memory;
    return memory;
}

static void alloc_all(struct merger *merger, const struct capacity *capacity,
                      uint32_t example_count)
{
    merger->operands = alloc(merger, capacity->operands, sizeof *merger->operands);
    merger->operations = alloc(merger, capacity->operations, sizeof *merger->operations);
    merger->inputs = alloc(merger, capacity->inputs, sizeof *merger->inputs);
    merger->outputs = alloc(merger, capacity->outputs, sizeof *merger->outputs);
    merger->models = alloc(merger, capacity->models, sizeof *merger->models);
    merger->examples = alloc(merger, example_count, sizeof *merger->examples);
    for (uint32_t e = 0; merger->examples && e < example_count; e++) {
        merger->examples[e].inputs =
            alloc(merger, capacity->inputs, sizeof(struct hy_vector_value));
        merger->examples[e].outputs =
            alloc(merger, capacity->outputs, sizeof(struct hy_vector_value));
    }
}

/* ---- Copies ---------------------------------------------------------------------------------- */

/* An operand like another one, of the main model. */
static uint32_t add_like(struct merger *merger, uint32_t like, enum hy_vector_lifetime lifetime)
{
    const uint32_t index = merger->used.operands++;
    merger->operands[index] = merger->operands[like];
    merger->operands[index].lifetime = lifetime;
    return index;
}

static bool can_copy(const struct merger *merger, uint32_t operand)
{
    if (merger->copies == HY_MERGE_RESHAPES)
        return hy_vector_can_reshape(&merger->operands[operand]);
    return merger->copies == HY_MERGE_COPIES && hy_vector_can_copy(&merger->operands[operand]);
}

static void add_copy(struct merger *merger, uint32_t from, uint32_t to)
{
    const bool reshapes =
        hy_vector_can_reshape(&merger->operands[from]) &&
        (merger->copies == HY_MERGE_RESHAPES || hy_random_below(&merger->chance, 2));
    uint32_t inputs[] = {from, 0};
    if (reshapes) {
        inputs[1] = merger->used.operands++;
        merger->operands[inputs[1]] = hy_vector_shape_of(&merger->operands[from]);
    }
    struct hy_vector_operation *copy = &merger->operations[merger->used.operations++];
    copy->type = reshapes ? HY_OP_RESHAPE : HY_OP_CAST;
    copy->inputs.count = reshapes ? 2 : 1;
    copy->inputs.items = hy_arena_copy(merger->arena, inputs, 2, sizeof *inputs);
    copy->outputs.count = 1;
    copy->outputs.items = hy_arena_copy(merger->arena, &to, 1, sizeof to);
    merger->failed |= !copy->inputs.items || !copy->outputs.items;
}

/* The model's input for an input of a test: the input itself, or the source of its copy. */
static uint32_t merge_input(struct merger *merger, const struct hy_vector *test, uint32_t input,
                            uint32_t operand)
{
    if (hy_random_below(&merger->chance, 2) || !can_copy(merger, operand) ||
        !hy_vector_has_elements(test, input))
        return operand;
    const uint32_t source = add_like(merger, operand, HY_VECTOR_INPUT);
    merger->operands[operand].lifetime = HY_VECTOR_TEMPORARY;
    add_copy(merger, source, operand);
    return source;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static struct hy_vector_indices moved(struct merger *merger, const struct hy_vector_indices *from,
                                      uint32_t by)
{
    uint32_t *items = hy_arena_copy(merger->arena, from->items, from->count, sizeof *items);
    for (uint32_t i = 0; items && i < from->count; i++)
        items[i] += by;
    merger->failed |= !items;
    return (struct hy_vector_indices){from->count, items};
}

/* Moves the indices of referenced models, after other models were inserted before them. */
static void move_bodies(struct hy_vector_operand *operands, uint32_t count, uint32_t by)
{
    for (uint32_t i = 0; i < count; i++)
        if (operands[i].lifetime == HY_VECTOR_SUBGRAPH)
            operands[i].submodel += by;
}

static void add_bodies(struct merger *merger, const struct hy_vector *test, uint32_t by)
{
    for (uint32_t m = 1; m < test->model_count; m++) {
        struct hy_vector_model *model = &merger->models[merger->used.models++];
        *model = test->models[m];
        struct hy_vector_operand *operands =
            hy_arena_copy(merger->arena, model->operands, model->operand_count, sizeof *operands);
        merger->failed |= !operands;
        if (operands)
            move_bodies(operands, model->operand_count, by);
        model->operands = operands;
    }
}

static void add_operations(struct merger *merger, const struct hy_vector_model *main, uint32_t by)
{
    for (uint32_t i = 0; i < main->operation_count; i++) {
        struct hy_vector_operation *operation = &merger->operations[merger->used.operations++];
        operation->type = main->operations[i].type;
        operation->inputs = moved(merger, &main->operations[i].inputs, by);
        operation->outputs = moved(merger, &main->operations[i].outputs, by);
    }
}

static void add_inputs(struct merger *merger, const struct hy_vector *test, uint32_t by)
{
    const struct hy_vector_model *main = &test->models[0];
    for (uint32_t i = 0; i < main->inputs.count; i++) {
        const uint32_t index = merger->used.inputs++;
        merger->inputs[index] = merge_input(merger, test, i, main->inputs.items[i] + by);
        for (uint32_t e = 0; e < test->example_count; e++)
            ((struct hy_vector_value *)merger->examples[e].inputs)[index] =
                test->examples[e].inputs[i];
    }
}

/* `output`: the output of the test with the expected values. */
static void add_output(struct merger *merger, const struct hy_vector *test, uint32_t output,
                       uint32_t operand)
{
    const uint32_t index = merger->used.outputs++;
    merger->outputs[index] = operand;
    for (uint32_t e = 0; e < test->example_count; e++)
        ((struct hy_vector_value *)merger->examples[e].outputs)[index] =
            test->examples[e].outputs[output];
}

static void add_outputs(struct merger *merger, const struct hy_vector *test, uint32_t by)
{
    const struct hy_vector_indices *outputs = &test->models[0].outputs;
    for (uint32_t i = 0; i < outputs->count; i++) {
        uint32_t last = outputs->items[i] + by;
        add_output(merger, test, i, last);
        uint32_t copies = hy_random_below(&merger->chance, COPIES_MAX + 1);
        if (!can_copy(merger, last))
            copies = 0;
        for (; copies > 0; copies--) {
            const uint32_t copy = add_like(merger, last, HY_VECTOR_OUTPUT);
            add_copy(merger, last, copy);
            add_output(merger, test, i, copy);
            last = copy;
        }
    }
}

static void add_test(struct merger *merger, struct hy_merge_part *part)
{
    const struct hy_vector_model *main = &part->test->models[0];
    const uint32_t by = merger->used.operands, bodies_by = merger->used.models - 1;
    part->first_input = merger->used.inputs;
    part->first_output = merger->used.outputs;
    memcpy(merger->operands + by, main->operands, main->operand_count * sizeof *main->operands);
    move_bodies(merger->operands + by, main->operand_count, bodies_by);
    merger->used.operands += main->operand_count;
    add_bodies(merger, part->test, bodies_by);
    add_inputs(merger, part->test, by);
    add_operations(merger, main, by);
    add_outputs(merger, part->test, by);
    part->output_count = merger->used.outputs - part->first_output;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void close_main(struct merger *merger)
{
    merger->models[0] = (struct hy_vector_model){
        .operand_count = merger->used.operands,
        .operation_count = merger->used.operations,
        .operands = merger->operands,
        .operations = merger->operations,
        .inputs = {merger->used.inputs, merger->inputs},
        .outputs = {merger->used.outputs, merger->outputs},
    };
}

enum hy_code hy_merge_make(const struct hy_vector *const *tests, uint32_t count,
                           enum hy_merge_copies copies, uint64_t seed, struct hy_arena *arena,
                           struct hy_merge *out, struct hy_error *err)
{
    const struct capacity capacity = capacity_of(tests, count);
    struct merger merger = {
        .arena = arena, .copies = copies, .chance = {seed}, .used = {.models = 1}};
    struct hy_merge_part *parts = alloc(&merger, count, sizeof *parts);
    alloc_all(&merger, &capacity, tests[0]->example_count);
    for (uint32_t i = 0; !merger.failed && i < count; i++) {
        parts[i].test = tests[i];
        add_test(&merger, &parts[i]);
    }
    if (merger.failed)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%s and %u more as one", tests[0]->name, count - 1);
    close_main(&merger);
    *out = (struct hy_merge){
        .vector = *tests[0],
        .part_count = count,
        .parts = parts,
    };
    out->vector.model_count = merger.used.models;
    out->vector.models = merger.models;
    out->vector.examples = merger.examples;
    return HY_OK;
}
