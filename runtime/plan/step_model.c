#include "runtime/plan/step_model.h"

#include "runtime/plan/alloc.h"
#include "runtime/plan/plan_search.h"
#include "runtime/plan/support/slice.h"

#define NONE UINT32_MAX

/* State while the step models are made; tables are indexed by operand of the main subgraph. */
struct maker {
    struct hy_plan *plan;
    struct hy_plan_search *search; /* has the flow if there are several steps */
    const struct hy_partition *partition;
    const struct hy_subgraph *graph;
    uint32_t *argument_of; /* number among the model's inputs or outputs, or NONE */
    uint32_t *tensor_of;   /* or NONE */
    uint32_t *local_of;    /* number in the current step, or NONE */
    uint32_t *touched;     /* operands of the current step, by local number */
    uint32_t touched_count;
    uint32_t bodies_level; /* see hy_model_slice_level */
};

/* The current step model, in memory of the plan. */
struct step_build {
    struct hy_step *step;
    struct hy_subgraph *graph;
    struct hy_operand *operands;
    struct hy_slot *inputs, *outputs;
    uint32_t *input_operands, *output_operands;
};

static uint32_t writer_step(const struct maker *maker, uint32_t operand)
{
    const uint32_t writer = maker->search->flow.writer[operand];
    return writer == HY_NO_OPERATION ? NONE : maker->partition->step_of[writer];
}

/* The last step that reads the operand; `step` without another reader. */
static uint32_t last_reader(const struct maker *maker, uint32_t operand, uint32_t step)
{
    const struct hy_flow *flow = &maker->search->flow;
    uint32_t last = step;

    for (uint32_t i = flow->reader_first[operand]; i < flow->reader_first[operand + 1]; i++) {
        const uint32_t reader = maker->partition->step_of[flow->readers[i]];
        if (reader > last)
            last = reader;
    }
    return last;
}

static uint32_t add_tensor(struct maker *maker, uint32_t operand, uint32_t step, uint32_t last)
{
    struct hy_plan *plan = maker->plan;
    const uint32_t index = plan->tensor_count++;

    plan->tensors[index] =
        (struct hy_boundary_tensor){.operand = operand,
                                    .first_step = step,
                                    .last_step = last,
                                    .bytes = hy_operand_bytes(&maker->graph->operands[operand])};
    maker->tensor_of[operand] = index;
    return index;
}

static uint32_t local_operand(struct maker *maker, uint32_t operand)
{
    if (maker->local_of[operand] == NONE) {
        maker->local_of[operand] = maker->touched_count;
        maker->touched[maker->touched_count++] = operand;
    }
    return maker->local_of[operand];
}

static const uint32_t *local_list(struct maker *maker, uint32_t count, const uint32_t *operands)
{
    uint32_t *list = hy_plan_alloc(&maker->plan->arena, count, sizeof *list);
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = local_operand(maker, operands[i]);
    return list;
}

/* Copies the step's operations and collects their operands. */
static bool copy_operations(struct maker *maker, struct step_build *build)
{
    struct hy_operation *operations =
        hy_plan_alloc(&maker->plan->arena, build->step->operation_count, sizeof *operations);
    if (!operations)
        return false;

    for (uint32_t i = 0; i < build->step->operation_count; i++) {
        const struct hy_operation *from = &maker->graph->operations[build->step->operations[i]];
        operations[i] = *from;
        operations[i].inputs = local_list(maker, from->input_count, from->inputs);
        operations[i].outputs = local_list(maker, from->output_count, from->outputs);
        if (!operations[i].inputs || !operations[i].outputs)
            return false;
    }
    build->graph->operations = operations;
    build->graph->operation_count = build->step->operation_count;
    return true;
}

static bool alloc_lists(struct maker *maker, struct step_build *build)
{
    struct hy_arena *arena = &maker->plan->arena;
    const uint32_t count = maker->touched_count;

    build->operands = hy_plan_alloc(arena, count, sizeof *build->operands);
    build->inputs = hy_plan_alloc(arena, count, sizeof *build->inputs);
    build->outputs = hy_plan_alloc(arena, count, sizeof *build->outputs);
    build->input_operands = hy_plan_alloc(arena, count, sizeof(uint32_t));
    build->output_operands = hy_plan_alloc(arena, count, sizeof(uint32_t));
    return build->operands && build->inputs && build->outputs && build->input_operands &&
           build->output_operands;
}

static void add_input(struct step_build *build, uint32_t local, struct hy_slot slot)
{
    const uint32_t index = build->step->input_count++;

    build->inputs[index] = slot;
    build->input_operands[index] = local;
    build->operands[local].lifetime = HY_LIFETIME_INPUT;
}

static void add_output(struct step_build *build, uint32_t local, struct hy_slot slot)
{
    const uint32_t index = build->step->output_count++;

    build->outputs[index] = slot;
    build->output_operands[index] = local;
    build->operands[local].lifetime = HY_LIFETIME_OUTPUT;
}

/* A non-constant operand that the current step reads but does not write. */
static void assign_read_slot(struct maker *maker, struct step_build *build, uint32_t local)
{
    const uint32_t operand = maker->touched[local];
    const uint32_t argument = maker->argument_of[operand], tensor = maker->tensor_of[operand];

    if (writer_step(maker, operand) == NONE)
        add_input(build, local, (struct hy_slot){HY_SLOT_INPUT, argument, HY_NO_TENSOR});
    else if (argument != NONE)
        add_input(build, local, (struct hy_slot){HY_SLOT_OUTPUT, argument, tensor});
    else
        add_input(build, local, (struct hy_slot){HY_SLOT_BOUNDARY, tensor, tensor});
}

/* An operand that the current step writes. */
static void assign_written_slot(struct maker *maker, struct step_build *build, uint32_t local,
                                uint32_t step)
{
    const uint32_t operand = maker->touched[local], argument = maker->argument_of[operand];
    const uint32_t last = last_reader(maker, operand, step);
    const uint32_t tensor = last == step ? HY_NO_TENSOR : add_tensor(maker, operand, step, last);

    if (argument != NONE)
        add_output(build, local, (struct hy_slot){HY_SLOT_OUTPUT, argument, tensor});
    else if (tensor != HY_NO_TENSOR)
        add_output(build, local, (struct hy_slot){HY_SLOT_BOUNDARY, tensor, tensor});
    else
        build->operands[local].lifetime = HY_LIFETIME_TEMPORARY;
}

static void assign_slots(struct maker *maker, struct step_build *build, uint32_t step)
{
    for (uint32_t local = 0; local < maker->touched_count; local++) {
        const uint32_t operand = maker->touched[local];
        build->operands[local] = maker->graph->operands[operand];
        switch (build->operands[local].lifetime) {
        case HY_LIFETIME_TEMPORARY:
        case HY_LIFETIME_INPUT:
        case HY_LIFETIME_OUTPUT:
            if (writer_step(maker, operand) == step)
                assign_written_slot(maker, build, local, step);
            else
                assign_read_slot(maker, build, local);
            break;
        default: /* constants and subgraphs keep their location */
            break;
        }
    }
}

/* A step needs outputs even if no step reads its results: exports the dead results. */
static void retain_dead_results(struct maker *maker, struct step_build *build, uint32_t step)
{
    for (uint32_t local = 0; local < maker->touched_count; local++) {
        if (build->operands[local].lifetime != HY_LIFETIME_TEMPORARY)
            continue;
        const uint32_t tensor = add_tensor(maker, maker->touched[local], step, step);
        add_output(build, local, (struct hy_slot){HY_SLOT_BOUNDARY, tensor, tensor});
    }
}

static void clear_touched(struct maker *maker)
{
    for (uint32_t i = 0; i < maker->touched_count; i++)
        maker->local_of[maker->touched[i]] = NONE;
    maker->touched_count = 0;
}

static bool has_bodies(const struct maker *maker, const struct hy_step *step)
{
    for (uint32_t i = 0; i < step->operation_count; i++) {
        const struct hy_operation *operation = &maker->graph->operations[step->operations[i]];
        for (uint32_t j = 0; j < operation->input_count; j++) {
            if (maker->graph->operands[operation->inputs[j]].lifetime == HY_LIFETIME_SUBGRAPH)
                return true;
        }
    }
    return false;
}

/* Drivers and tokens process all bodies of a model, so a step without control flow gets no
 * bodies. */
static struct hy_model *alloc_model(struct maker *maker, const struct hy_step *step,
                                    struct hy_subgraph *graph)
{
    struct hy_model *model = hy_plan_alloc(&maker->plan->arena, 1, sizeof *model);
    if (model) {
        *model = *maker->plan->request.model;
        model->struct_size = sizeof *model;
        model->main = graph;
        if (!has_bodies(maker, step)) {
            model->referenced = NULL;
            model->referenced_count = 0;
        }
    }
    return model;
}

static bool make_step(struct maker *maker, struct hy_step *step, uint32_t index)
{
    struct step_build build = {.step = step};
    build.graph = hy_plan_alloc(&maker->plan->arena, 1, sizeof *build.graph);
    struct hy_model *model = alloc_model(maker, step, build.graph);

    clear_touched(maker);
    if (!build.graph || !model || !copy_operations(maker, &build) || !alloc_lists(maker, &build))
        return false;
    assign_slots(maker, &build, index);
    if (step->output_count == 0)
        retain_dead_results(maker, &build, index);

    build.graph->struct_size = sizeof *build.graph;
    build.graph->operands = build.operands;
    build.graph->operand_count = maker->touched_count;
    build.graph->inputs = build.input_operands;
    build.graph->input_count = step->input_count;
    build.graph->outputs = build.output_operands;
    build.graph->output_count = step->output_count;
    /* A device below the level of the model was asked about a slice. */
    if (step->device->info.feature_level < model->feature_level)
        model->feature_level = hy_model_slice_level(model, build.graph, &maker->bodies_level);
    step->model = model;
    step->inputs = build.inputs;
    step->outputs = build.outputs;
    return true;
}

/* The only step of an undivided model. */
static bool use_whole_model(struct hy_plan *plan, struct hy_step *step)
{
    const struct hy_subgraph *graph = plan->request.model->main;
    struct hy_slot *inputs = hy_plan_alloc(&plan->arena, graph->input_count, sizeof *inputs);
    struct hy_slot *outputs = hy_plan_alloc(&plan->arena, graph->output_count, sizeof *outputs);
    if (!inputs || !outputs)
        return false;

    for (uint32_t i = 0; i < graph->input_count; i++)
        inputs[i] = (struct hy_slot){HY_SLOT_INPUT, i, HY_NO_TENSOR};
    for (uint32_t i = 0; i < graph->output_count; i++)
        outputs[i] = (struct hy_slot){HY_SLOT_OUTPUT, i, HY_NO_TENSOR};
    step->model = plan->request.model;
    step->inputs = inputs;
    step->outputs = outputs;
    step->input_count = graph->input_count;
    step->output_count = graph->output_count;
    return true;
}

static uint64_t sum_bytes(const struct hy_subgraph *graph, uint32_t count, const uint32_t *operands)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += hy_operand_bytes(&graph->operands[operands[i]]);
    return sum;
}

static bool alloc_tables(struct maker *maker)
{
    struct hy_arena *arena = &maker->search->arena;
    const struct hy_subgraph *graph = maker->graph;
    const size_t size = graph->operand_count * sizeof(uint32_t);

    maker->plan->tensors =
        hy_plan_alloc(&maker->plan->arena, graph->operand_count, sizeof(struct hy_boundary_tensor));
    maker->argument_of = hy_plan_alloc(arena, size, 1);
    maker->tensor_of = hy_plan_alloc(arena, size, 1);
    maker->local_of = hy_plan_alloc(arena, size, 1);
    maker->touched = hy_plan_alloc(arena, size, 1);
    if (!maker->plan->tensors || !maker->argument_of || !maker->tensor_of || !maker->local_of ||
        !maker->touched)
        return false;

    memset(maker->argument_of, 0xff, size);
    memset(maker->tensor_of, 0xff, size);
    memset(maker->local_of, 0xff, size);
    for (uint32_t i = 0; i < graph->input_count; i++)
        maker->argument_of[graph->inputs[i]] = i;
    for (uint32_t i = 0; i < graph->output_count; i++)
        maker->argument_of[graph->outputs[i]] = i;
    return true;
}

enum hy_code hy_step_models_make(struct hy_plan *plan, struct hy_plan_search *search,
                                 const struct hy_partition *partition, struct hy_error *err)
{
    struct maker maker = {
        .plan = plan, .search = search, .partition = partition, .graph = plan->request.model->main};

    plan->tensor_count = 0;
    plan->step_count = 0;
    plan->step_of = partition->step_of;
    plan->steps = hy_plan_alloc(&plan->arena, partition->step_count, sizeof *plan->steps);
    if (!plan->steps || (partition->step_count > 1 && !alloc_tables(&maker)))
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u steps", partition->step_count);

    for (uint32_t i = 0; i < partition->step_count; i++) {
        struct hy_step *step = &plan->steps[i];
        step->device = plan->support_matrix.devices[hy_partition_device(partition, i)];
        step->operations = partition->operations + partition->first[i];
        step->operation_count = partition->first[i + 1] - partition->first[i];
        if (partition->step_count > 1 ? !make_step(&maker, step, i) : !use_whole_model(plan, step))
            return hy_fail(err, HY_OUT_OF_MEMORY, "model of step %u", i);

        const struct hy_subgraph *graph = step->model->main;
        step->input_bytes = sum_bytes(graph, graph->input_count, graph->inputs);
        step->output_bytes = sum_bytes(graph, graph->output_count, graph->outputs);
        plan->step_count++;
    }
    return HY_OK;
}
