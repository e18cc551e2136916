#include "cpu_fallback/program/chain.h"

#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/conv/conv_cut.h"
#include "cpu_fallback/ops/conv/conv_turns.h"
#include "cpu_fallback/program/band.h"
#include "cpu_fallback/program/plan_memory.h"

/* What a band leaves between two steps takes so many bytes, if one multiple of lines is not more:
 * the second cache has it, and room for what the kernels read. In less, kernels go through few
 * lines at a time. Tensors that are not larger stay in the cache without bands. */
#define BAND_BYTES 131072u

/* Bands for each task at least, where lines suffice: tasks that come late leave some to others. */
#define TASK_BANDS 4u

/* Work between two looks at the clock, see stop.h. */
#define STOP_US 256.0

struct member {
    const struct hy_cpu_banded *banded;
    const void *params; /* of its own step */
    uint32_t operation;
    uint32_t input; /* that the member before writes; HY_CPU_NO_INPUT for the first */
    size_t pixel_elements, pixel_bytes;
};

struct chain {
    struct hy_conv_turns turns; /* its units are bands */
    struct hy_cpu_lines lines;
    size_t band; /* lines */
    size_t bands_of_image;
    size_t stop_units;        /* of a band */
    size_t turns_offset;      /* in the scratch of the step */
    size_t tasks_offset;      /* of the scratch of the first task */
    size_t task_bytes;        /* from task to task */
    size_t buffer_offsets[2]; /* in the scratch of a task: members write to these in turn */
    size_t scratch_offset;    /* for the kernels, after the buffers */
    uint32_t count;
    struct member members[];
};

/* ---- Running --------------------------------------------------------------------------------- */

/* What the tasks of one run share. */
struct chain_run {
    const struct chain *chain;
    const struct hy_call *calls;
    uint8_t *scratch; /* of the step */
};

static struct hy_cpu_band band_of(const struct chain *chain, size_t index)
{
    const size_t image = index / chain->bands_of_image;
    const size_t line = index % chain->bands_of_image * chain->band;
    const size_t left = chain->lines.of_image - line;

    return (struct hy_cpu_band){
        .first = (image * chain->lines.of_image + line) * chain->lines.pixels,
        .count = (left < chain->band ? left : chain->band) * chain->lines.pixels,
    };
}

static void run_band(const struct chain_run *run, uint8_t *scratch, size_t index)
{
    const struct chain *chain = run->chain;
    struct hy_cpu_band band = band_of(chain, index);

    band.scratch = scratch + chain->scratch_offset;
    for (uint32_t i = 0; i < chain->count; i++) {
        const struct member *member = &chain->members[i];
        band.call = &run->calls[member->operation];
        band.params = member->params;
        band.input = member->input;
        band.pixel_elements = member->pixel_elements;
        band.out = i + 1 < chain->count ? scratch + chain->buffer_offsets[i % 2]
                                        : (uint8_t *)hy_call_output(band.call, 0)->data +
                                              band.first * member->pixel_bytes;
        member->banded->run(&band);
        band.in = band.out;
    }
}

static void run_task(void *argument, uint32_t index)
{
    const struct chain_run *run = argument;
    const struct chain *chain = run->chain;
    struct hy_conv_turn *turn = (struct hy_conv_turn *)(run->scratch + chain->turns_offset);
    uint8_t *scratch = run->scratch + chain->tasks_offset + index * chain->task_bytes;
    struct hy_stop_watch *watch = hy_stop_here();
    size_t first, end;

    while (hy_conv_turns_take(&chain->turns, turn, index, &first, &end)) {
        for (; first < end; first++) {
            if (hy_stop_after(watch, chain->stop_units))
                return;
            run_band(run, scratch, first);
        }
    }
}

static enum hy_code run_chain(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct chain *chain = work->params;
    struct chain_run run = {chain, work->calls, work->scratch};

    (void)err;
    hy_conv_turns_start(&chain->turns,
                        (struct hy_conv_turn *)(work->scratch + chain->turns_offset));
    hy_cpu_share(work, chain->turns.tasks, run_task, &run);
    return HY_OK;
}

static const struct hy_cpu_op chain_op = {.run = run_chain};

/* ---- Planning one ---------------------------------------------------------------------------- */

struct joining {
    const struct hy_cpu_program *program;
    struct hy_cpu_plan *plan;
    uint32_t *readers; /* per operand: how many inputs of operations it is */
    struct hy_arena memory;
    uint32_t count; /* of chains */
};

static struct hy_call call_of(const struct joining *joining, uint32_t operation)
{
    return hy_cpu_graph_call(&joining->program->graph, operation, joining->plan->values);
}

static bool is_temporary(const struct hy_cpu_graph *graph, uint32_t operand)
{
    return graph->operands[operand].lifetime == HY_LIFETIME_TEMPORARY &&
           !graph->operands[operand].is_constant;
}

/* Bytes in the arena. */
static uint64_t arena_bytes(const struct joining *joining, uint32_t operand)
{
    return is_temporary(&joining->program->graph, operand)
               ? hy_cpu_value_bytes(&joining->plan->values[operand])
               : 0;
}

static const struct hy_cpu_banded *banded_of(const struct hy_cpu_plan_step *step)
{
    return step->is_late || step->is_empty ? NULL : step->step.op->banded;
}

/* The only input that is `operand`, or HY_CPU_NO_INPUT. */
static uint32_t input_that_is(const struct hy_call *call, uint32_t operand)
{
    for (uint32_t i = 0; i < call->input_count; i++)
        if (call->inputs[i] == operand)
            return i;
    return HY_CPU_NO_INPUT;
}

/* Completes a member whose step, operation and input are set. False: its output has no such
 * pixels. */
static bool set_pixels(const struct hy_call *call, const struct hy_cpu_lines *lines,
                       struct member *member)
{
    const struct hy_value *out = hy_call_output(call, 0);
    const size_t elements = hy_shape_span(&out->shape, 0, out->shape.rank);

    if (elements % hy_cpu_lines_pixels(lines) != 0)
        return false;
    member->pixel_elements = elements / hy_cpu_lines_pixels(lines);
    member->pixel_bytes = member->pixel_elements * hy_operand_type_bytes(out->type);
    return true;
}

static bool begin_chain(const struct joining *joining, const struct hy_cpu_plan_step *step,
                        struct hy_cpu_lines *lines, struct member *member)
{
    const struct hy_cpu_banded *banded = banded_of(step);
    const struct hy_call call = call_of(joining, step->operation);

    if (!banded || !banded->begin(step->step.params, &call, lines))
        return false;
    *member = (struct member){banded, step->step.params, step->operation, HY_CPU_NO_INPUT, 0, 0};
    return set_pixels(&call, lines, member);
}

/* Whether `step` goes on with what `before` writes, which then nobody else has. */
static bool follow_chain(const struct joining *joining, const struct member *before,
                         const struct hy_cpu_plan_step *step, struct hy_cpu_lines *lines,
                         struct member *member)
{
    const struct hy_cpu_graph *graph = &joining->program->graph;
    const uint32_t between = graph->operations[before->operation].outputs[0];
    const struct hy_cpu_banded *banded = banded_of(step);
    const struct hy_call call = call_of(joining, step->operation);
    struct hy_cpu_lines wanted = *lines;

    if (!banded || joining->readers[between] != 1 || !is_temporary(graph, between))
        return false;
    *member = (struct member){
        banded, step->step.params, step->operation, input_that_is(&call, between), 0, 0};
    if (member->input == HY_CPU_NO_INPUT || !set_pixels(&call, lines, member) ||
        !banded->follow(step->step.params, &call, member->input, &wanted))
        return false;
    *lines = wanted;
    return true;
}

/* Whether the first `count` members of a chain need no more memory at once than they need one
 * after the other: then the first one's inputs may be gone when the last one writes. */
static bool is_as_small(const struct joining *joining, const struct chain *chain, uint32_t count)
{
    const struct hy_cpu_operation *operations = joining->program->graph.operations;
    const struct hy_cpu_operation *first = &operations[chain->members[0].operation];
    uint64_t whole = 0, most = 0;

    for (uint32_t i = 0; i < first->input_count; i++)
        whole += arena_bytes(joining, first->inputs[i]);
    uint64_t in = whole, out = 0;
    for (uint32_t i = 0; i < count; i++) {
        out = arena_bytes(joining, operations[chain->members[i].operation].outputs[0]);
        most = in + out > most ? in + out : most;
        in = out;
    }
    return whole + out <= most;
}

static size_t round_up(size_t number, size_t multiple)
{
    return (number + multiple - 1) / multiple * multiple;
}

/* The most bytes of a pixel of what lies between members. */
static size_t bytes_between(const struct chain *chain)
{
    size_t most = 0;

    for (uint32_t i = 0; i + 1 < chain->count; i++) {
        const size_t bytes = chain->members[i].pixel_bytes;
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Whether bands gain something. Operations on elements do little with what they read. Convolutions
 * do more, and wait only for what the second cache has lost. */
static bool is_worth_it(const struct joining *joining, const struct chain *chain)
{
    const size_t bytes = hy_cpu_lines_pixels(&chain->lines) * bytes_between(chain);
    bool are_convolutions = true;

    for (uint32_t i = 0; i < chain->count; i++)
        are_convolutions &= chain->members[i].banded == &hy_cpu_conv_banded;
    return bytes > (are_convolutions ? joining->program->l2_bytes / 2 : BAND_BYTES);
}

/* Cuts the lines of a chain that takes one thread `us`. False: there is one band, or the second
 * cache does not have room for any. */
static bool cut_bands(const struct joining *joining, double us, struct chain *chain)
{
    const struct hy_cpu_lines *lines = &chain->lines;
    const size_t line_bytes = lines->pixels * bytes_between(chain);
    const double enough = us / HY_CPU_TASK_US + .5;
    size_t tasks = joining->program->threads;

    if (enough < (double)tasks)
        tasks = enough > 1 ? (size_t)enough : 1;
    chain->band = BAND_BYTES / line_bytes;
    if (tasks > 1 && chain->band > lines->count / (tasks * TASK_BANDS))
        chain->band = lines->count / (tasks * TASK_BANDS);
    chain->band = chain->band < lines->multiple ? lines->multiple
                                                : chain->band / lines->multiple * lines->multiple;
    chain->bands_of_image = (lines->of_image + chain->band - 1) / chain->band;
    chain->band = round_up((lines->of_image + chain->bands_of_image - 1) / chain->bands_of_image,
                           lines->multiple);
    chain->bands_of_image = (lines->of_image + chain->band - 1) / chain->band;

    const size_t bands = lines->count / lines->of_image * chain->bands_of_image;
    if (tasks > bands)
        tasks = bands;
    chain->turns = (struct hy_conv_turns){
        .tasks = (uint32_t)tasks,
        .is_by_pixels = true,
        .units = bands,
        .tiles = bands,
        .least = hy_conv_cut_least(bands, (uint32_t)tasks, us),
    };
    chain->stop_units = (size_t)(us / STOP_US * (double)HY_STOP_UNITS / (double)bands) + 1;
    return bands > 1 && chain->band * line_bytes <= joining->program->l2_bytes / 2;
}

/* What the kernels of all members need, for any band. */
static size_t kernel_scratch(const struct joining *joining, const struct chain *chain)
{
    size_t most = 0;

    for (uint32_t i = 0; i < chain->count; i++) {
        const struct member *member = &chain->members[i];
        const struct hy_call call = call_of(joining, member->operation);
        for (size_t index = 0; member->banded->scratch_bytes && index < chain->turns.units;
             index++) {
            struct hy_cpu_band band = band_of(chain, index);
            band.call = &call;
            band.params = member->params;
            band.input = member->input;
            const size_t bytes = member->banded->scratch_bytes(&band);
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

static bool take_scratch(const struct joining *joining, struct chain *chain, size_t *scratch)
{
    const size_t pixels = chain->band * chain->lines.pixels;
    size_t buffers[2] = {0}, offset;

    for (uint32_t i = 0; i + 1 < chain->count; i++) {
        const size_t bytes = pixels * chain->members[i].pixel_bytes;
        buffers[i % 2] = bytes > buffers[i % 2] ? bytes : buffers[i % 2];
    }
    if (!hy_cpu_scratch_take(&chain->task_bytes, buffers[0], &chain->buffer_offsets[0]) ||
        !hy_cpu_scratch_take(&chain->task_bytes, buffers[1], &chain->buffer_offsets[1]) ||
        !hy_cpu_scratch_take(&chain->task_bytes, kernel_scratch(joining, chain),
                             &chain->scratch_offset) ||
        !hy_cpu_scratch_take(scratch, chain->turns.tasks * sizeof(struct hy_conv_turn),
                             &chain->turns_offset))
        return false;
    chain->tasks_offset = *scratch;
    for (uint32_t i = 0; i < chain->turns.tasks; i++)
        if (!hy_cpu_scratch_take(scratch, chain->task_bytes, &offset))
            return false;
    return true;
}

/* ---- Finding them ---------------------------------------------------------------------------- */

/* The steps from `first` on that a chain can have, at least two; else 0. */
static uint32_t find_chain(const struct joining *joining, uint32_t first, struct chain *chain)
{
    const struct hy_cpu_plan *plan = joining->plan;
    struct hy_cpu_lines *lines = &chain->lines;

    *chain = (struct chain){0};
    if (!begin_chain(joining, &plan->steps[first], lines, &chain->members[0]))
        return 0;
    uint32_t count = 1;
    while (first + count < plan->step_count &&
           follow_chain(joining, &chain->members[count - 1], &plan->steps[first + count], lines,
                        &chain->members[count]))
        count++;
    while (count > 1 && !is_as_small(joining, chain, count))
        count--;
    chain->count = count;
    return count > 1 ? count : 0;
}

/* The last step does the work of all. How a member's work is cut is settled: by pixels. */
static enum hy_code join_steps(struct joining *joining, uint32_t first, struct chain *chain,
                               double us, struct hy_error *err)
{
    struct hy_cpu_plan *plan = joining->plan;
    const size_t bytes = sizeof *chain + chain->count * sizeof *chain->members;
    struct hy_cpu_step step = {.op = &chain_op, .us = us};

    if (!take_scratch(joining, chain, &step.scratch))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the scratch of a chain is too large");
    step.params = hy_arena_copy(&plan->memory, chain, 1, bytes);
    if (!step.params)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a chain");
    for (uint32_t i = first; i < first + chain->count; i++) {
        plan->choice_count -= plan->steps[i].step.choices != NULL;
        plan->steps[i].step.choices = NULL;
        plan->steps[i].is_joined = i + 1 < first + chain->count;
    }
    plan->steps[first + chain->count - 1].step = step;
    joining->count++;
    return HY_OK;
}

static enum hy_code join_all(struct joining *joining, struct hy_error *err)
{
    const struct hy_cpu_plan *plan = joining->plan;
    struct chain *chain =
        hy_arena_alloc(&joining->memory, sizeof *chain + plan->step_count * sizeof *chain->members);
    enum hy_code code = HY_OK;

    if (!chain)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a plan");
    for (uint32_t first = 0; first < plan->step_count && code == HY_OK;) {
        const uint32_t count = find_chain(joining, first, chain);
        double us = 0;
        for (uint32_t i = first; i < first + count; i++)
            us += plan->steps[i].step.us;
        if (count > 0 && is_worth_it(joining, chain) && cut_bands(joining, us, chain)) {
            code = join_steps(joining, first, chain, us, err);
            first += count;
        } else {
            first++;
        }
    }
    return code;
}

static bool count_readers(struct joining *joining)
{
    const struct hy_cpu_graph *graph = &joining->program->graph;
    const size_t bytes = graph->operand_count * sizeof *joining->readers;

    joining->readers = hy_arena_alloc(&joining->memory, bytes);
    if (!joining->readers)
        return false;
    memset(joining->readers, 0, bytes);
    for (uint32_t i = 0; i < joining->plan->step_count; i++) {
        const struct hy_cpu_operation *operation =
            &graph->operations[joining->plan->steps[i].operation];
        for (uint32_t k = 0; k < operation->input_count; k++)
            joining->readers[operation->inputs[k]]++;
    }
    return true;
}

/* A plan as it was. */
struct before {
    struct hy_cpu_plan_step *steps;
    size_t *places;
    struct hy_placement arena;
    size_t scratch_size;
    uint32_t choice_count;
};

static bool remember(struct joining *joining, struct before *before)
{
    const struct hy_cpu_plan *plan = joining->plan;
    const size_t operands = joining->program->graph.operand_count;
    struct hy_arena *memory = &joining->memory;

    before->steps = hy_arena_copy(memory, plan->steps, plan->step_count, sizeof *plan->steps);
    before->places = hy_arena_copy(memory, plan->places, operands, sizeof *plan->places);
    before->arena = plan->arena;
    before->scratch_size = plan->scratch_size;
    before->choice_count = plan->choice_count;
    return before->steps && before->places;
}

static void restore(const struct joining *joining, const struct before *before)
{
    struct hy_cpu_plan *plan = joining->plan;

    memcpy(plan->steps, before->steps, plan->step_count * sizeof *plan->steps);
    memcpy(plan->places, before->places,
           joining->program->graph.operand_count * sizeof *plan->places);
    plan->arena = before->arena;
    plan->scratch_size = before->scratch_size;
    plan->choice_count = before->choice_count;
}

static enum hy_code join_and_place(struct joining *joining, struct hy_error *err)
{
    struct hy_cpu_plan *plan = joining->plan;
    struct before before;

    if (!count_readers(joining) || !remember(joining, &before))
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a plan");
    enum hy_code code = join_all(joining, err);
    if (code != HY_OK || joining->count == 0)
        return code;
    code = hy_cpu_plan_place(&joining->program->graph, plan, err);
    if (code == HY_OK && plan->arena.total > before.arena.total)
        restore(joining, &before);
    return code;
}

enum hy_code hy_cpu_chain_join(const struct hy_cpu_program *program, struct hy_cpu_plan *plan,
                               struct hy_error *err)
{
    if (plan->step_count < 2)
        return HY_OK;
    struct joining joining = {
        .program = program, .plan = plan, .memory = hy_cpu_arena(program->host)};
    const enum hy_code code = join_and_place(&joining, err);

    hy_arena_finish(&joining.memory);
    return code;
}
