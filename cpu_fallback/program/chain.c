#include "cpu_fallback/program/chain.h"

#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/program/chain_parts.h"
#include "cpu_fallback/program/plan_memory.h"

/* Smaller tensors stay in the cache without bands. */
#define CACHED_BYTES 131072u

/* The most bytes of weights per band of a chain with several segments. */
#define WINDOW_WEIGHTS 131072u

static const struct hy_cpu_op chain_op = {.run = hy_chain_run};

/* ---- Planning one ---------------------------------------------------------------------------- */

struct joining {
    const struct hy_cpu_program *program;
    struct hy_cpu_plan *plan;
    uint32_t *readers; /* per operand: number of operation inputs that read it */
    struct hy_arena memory;
    uint32_t count; /* chains found */
    size_t scratch; /* largest scratch of a chain */
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

/* Bytes of the operand in the arena; 0 if it lies elsewhere. */
static uint64_t arena_bytes(const struct joining *joining, uint32_t operand)
{
    return is_temporary(&joining->program->graph, operand)
               ? hy_cpu_value_bytes(&joining->plan->values[operand])
               : 0;
}

static const struct hy_cpu_banded *banded_of(const struct hy_cpu_plan_step *step)
{
    return step->is_dynamic || step->is_empty ? NULL : step->step.op->banded;
}

/* The only input that is `operand`, or HY_CPU_NO_INPUT. */
static uint32_t input_that_is(const struct hy_call *call, uint32_t operand)
{
    for (uint32_t i = 0; i < call->input_count; i++)
        if (call->inputs[i] == operand)
            return i;
    return HY_CPU_NO_INPUT;
}

/* Sets the pixel sizes of a member. False: the pixels of its output do not match the lines. */
static bool set_pixels(const struct hy_call *call, const struct hy_cpu_lines *lines,
                       struct hy_chain_member *member)
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
                        struct hy_cpu_lines *lines, struct hy_chain_member *member)
{
    const struct hy_cpu_banded *banded = banded_of(step);
    const struct hy_call call = call_of(joining, step->operation);

    if (!banded || !banded->begin(step->step.params, &call, lines))
        return false;
    *member =
        (struct hy_chain_member){banded, step->step.params, step->operation, HY_CPU_NO_INPUT, 0, 0};
    return set_pixels(&call, lines, member);
}

/* True if `step` is the only reader of the output of `before`. Sets the members that do not depend
 * on lines. */
static bool is_next(const struct joining *joining, const struct hy_chain_member *before,
                    const struct hy_cpu_plan_step *step, struct hy_chain_member *member)
{
    const struct hy_cpu_graph *graph = &joining->program->graph;
    const uint32_t between = graph->operations[before->operation].outputs[0];
    const struct hy_cpu_banded *banded = banded_of(step);
    const struct hy_call call = call_of(joining, step->operation);

    if (!banded || joining->readers[between] != 1 || !is_temporary(graph, between))
        return false;
    *member = (struct hy_chain_member){
        banded, step->step.params, step->operation, input_that_is(&call, between), 0, 0};
    return member->input != HY_CPU_NO_INPUT;
}

/* True if the member can join the current segment pixel by pixel. */
static bool follow_pixels(const struct joining *joining, struct hy_chain_member *member,
                          struct hy_cpu_lines *lines)
{
    const struct hy_call call = call_of(joining, member->operation);
    struct hy_cpu_lines wanted = *lines;

    if (!set_pixels(&call, lines, member) ||
        !member->banded->follow(member->params, &call, member->input, &wanted))
        return false;
    *lines = wanted;
    return true;
}

static size_t weight_bytes(const struct hy_chain_member *members, uint32_t count)
{
    size_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        if (members[i].banded->weight_bytes)
            sum += members[i].banded->weight_bytes(members[i].params);
    return sum;
}

/* True if the member can begin another segment of the chain, which has `count` members so far.
 * Windows are used only if the L2 cache cannot hold the input of the member. */
static bool follow_window(const struct joining *joining, struct hy_chain *chain, uint32_t count)
{
    struct hy_chain_segment *before = &chain->segments[chain->segment_count - 1];
    struct hy_chain_segment *segment = before + 1;
    struct hy_chain_member *member = &chain->members[count];
    const struct hy_call call = call_of(joining, member->operation);
    struct hy_cpu_lines in = before->lines;

    if (chain->segment_count == HY_CHAIN_SEGMENTS || !member->banded->follow_window ||
        hy_cpu_value_bytes(hy_call_input(&call, member->input)) < joining->program->l2_bytes / 2 ||
        weight_bytes(chain->members, count + 1) > WINDOW_WEIGHTS ||
        !member->banded->follow_window(member->params, &call, member->input, &in,
                                       &segment->lines) ||
        !set_pixels(&call, &segment->lines, member))
        return false;
    before->lines = in;
    before->end = segment->first = count;
    chain->segment_count++;
    return true;
}

/* Cuts the chain to its first `count` members. */
static void cut_members(struct hy_chain *chain, uint32_t count)
{
    while (chain->segments[chain->segment_count - 1].first >= count)
        chain->segment_count--;
    chain->segments[chain->segment_count - 1].end = count;
    chain->count = count;
}

/* True if the first `count` members of a chain need no more memory at once than in separate steps.
 * Separate steps may free the inputs of the first member before the last member writes. */
static bool is_as_small(const struct joining *joining, const struct hy_chain *chain, uint32_t count)
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

/* True if bands pay. Elementwise operations compute little per byte. Convolutions compute more, so
 * only tensors beyond the L2 cache slow them down. Tensors before a window are large by
 * definition. */
static bool is_worth_it(const struct joining *joining, const struct hy_chain *chain)
{
    const struct hy_chain_segment *segment = hy_chain_last(chain);
    bool are_convolutions = true;
    size_t most = 0;

    for (uint32_t i = segment->first; i < segment->end; i++) {
        const size_t bytes = chain->members[i].pixel_bytes;
        if (i + 1 < segment->end && bytes > most)
            most = bytes;
        are_convolutions &= chain->members[i].banded == &hy_cpu_conv_banded;
    }
    return chain->segment_count > 1 ||
           hy_cpu_lines_pixels(&segment->lines) * most >
               (are_convolutions ? joining->program->l2_bytes / 2 : CACHED_BYTES);
}

/* ---- Finding them ---------------------------------------------------------------------------- */

/* Finds the steps from `first` on that can form a chain. Returns their number: at least two, else
 * 0. *has_windows allows windows, and reports whether the chain has any. */
static uint32_t find_chain(const struct joining *joining, uint32_t first, bool *has_windows,
                           struct hy_chain *chain)
{
    const struct hy_cpu_plan_step *steps = &joining->plan->steps[first];
    const uint32_t most = joining->plan->step_count - first;
    const bool are_allowed = *has_windows;
    uint32_t count = 1;

    *has_windows = false;
    *chain = (struct hy_chain){.segment_count = 1};
    if (!begin_chain(joining, steps, &chain->segments[0].lines, &chain->members[0]))
        return 0;
    for (; count < most; count++) {
        struct hy_chain_member *member = &chain->members[count];
        if (!is_next(joining, member - 1, &steps[count], member) ||
            (!follow_pixels(joining, member, &chain->segments[chain->segment_count - 1].lines) &&
             !(are_allowed && follow_window(joining, chain, count))))
            break;
    }
    *has_windows = chain->segment_count > 1;
    while (count > 1 && !is_as_small(joining, chain, count))
        count--;
    cut_members(chain, count);
    return count > 1 ? count : 0;
}

static double sum_us(const struct joining *joining, uint32_t first, uint32_t count)
{
    double us = 0;

    for (uint32_t i = first; i < first + count; i++)
        us += joining->plan->steps[i].step.us;
    return us;
}

/* The calls of the members; NULL: out of memory. */
static const struct hy_call *calls_of(const struct joining *joining, struct hy_arena *memory,
                                      const struct hy_chain *chain)
{
    struct hy_call *calls = hy_arena_alloc(memory, chain->count * sizeof *calls);

    for (uint32_t i = 0; calls && i < chain->count; i++)
        calls[i] = call_of(joining, chain->members[i].operation);
    return calls;
}

/* Bytes of all intermediate tensors of the chain. */
static uint64_t bytes_between(const struct hy_chain *chain)
{
    uint64_t sum = 0;

    for (uint32_t s = 0; s < chain->segment_count; s++) {
        const struct hy_chain_segment *segment = &chain->segments[s];
        for (uint32_t i = segment->first; i < segment->end && i + 1 < chain->count; i++)
            sum += hy_cpu_lines_pixels(&segment->lines) * chain->members[i].pixel_bytes;
    }
    return sum;
}

/* Divides a chain that pays into bands, and reserves its scratch. Windows shall save memory: the
 * line buffers of all tasks may take half of the bytes of the intermediate tensors at most. */
static bool complete(const struct joining *joining, uint32_t first, struct hy_chain *chain,
                     size_t *scratch)
{
    const struct hy_cpu_program *program = joining->program;

    if (!is_worth_it(joining, chain) || !hy_chain_cut(chain, sum_us(joining, first, chain->count),
                                                      program->threads, program->l2_bytes))
        return false;
    struct hy_arena memory = hy_cpu_arena(program->host);
    const struct hy_call *calls = calls_of(joining, &memory, chain);
    const bool fits = calls && hy_chain_alloc_scratch(chain, calls, scratch);
    hy_arena_finish(&memory);
    return fits && (chain->segment_count == 1 || *scratch <= bytes_between(chain) / 2);
}

/* Finds the longest chain from `first` on that pays. Returns the number of its steps, or 0. */
static uint32_t make_chain(const struct joining *joining, uint32_t first, struct hy_chain *chain,
                           size_t *scratch)
{
    bool has_windows = true;
    uint32_t count = find_chain(joining, first, &has_windows, chain);

    *scratch = 0;
    if (count > 0 && complete(joining, first, chain, scratch))
        return count;
    if (!has_windows)
        return 0;
    has_windows = false;
    count = find_chain(joining, first, &has_windows, chain);
    *scratch = 0;
    return count > 0 && complete(joining, first, chain, scratch) ? count : 0;
}

/* An input of the first member whose memory the output may use: every band of the input is read
 * before the last member writes the same elements. HY_CPU_NO_OPERAND: none. */
static uint32_t replaceable_input(const struct joining *joining, const struct hy_chain *chain)
{
    const struct hy_call first = call_of(joining, chain->members[0].operation);
    const struct hy_call last = call_of(joining, chain->members[chain->count - 1].operation);
    const uint64_t bytes = hy_cpu_value_bytes(hy_call_output(&last, 0));

    if (chain->segment_count > 1 || chain->members[0].banded == &hy_cpu_conv_banded)
        return HY_CPU_NO_OPERAND;
    for (uint32_t i = 0; i < first.input_count; i++) {
        const uint32_t operand = first.inputs[i];
        if (is_temporary(&joining->program->graph, operand) && joining->readers[operand] == 1 &&
            hy_cpu_has_elements_of(hy_call_input(&first, i), hy_call_output(&first, 0)) &&
            hy_cpu_value_bytes(hy_call_input(&first, i)) == bytes)
            return operand;
    }
    return HY_CPU_NO_OPERAND;
}

/* Turns the steps into a chain, which the last step runs. Members have no choice of blocking any
 * more: chains are divided by pixels. */
static enum hy_code join_steps(struct joining *joining, uint32_t first,
                               const struct hy_chain *chain, size_t scratch, struct hy_error *err)
{
    struct hy_cpu_plan *plan = joining->plan;
    const size_t bytes = sizeof *chain + chain->count * sizeof *chain->members;
    struct hy_cpu_step step = {
        .op = &chain_op, .us = sum_us(joining, first, chain->count), .scratch = scratch};

    step.params = hy_arena_copy(&plan->memory, chain, 1, bytes);
    if (!step.params)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a chain");
    for (uint32_t i = first; i < first + chain->count; i++) {
        plan->blocking_count -= plan->steps[i].step.blockings != NULL;
        plan->steps[i].step.blockings = NULL;
        plan->steps[i].is_joined = i + 1 < first + chain->count;
    }
    plan->steps[first + chain->count - 1].step = step;
    plan->steps[first + chain->count - 1].replaces = replaceable_input(joining, chain);
    joining->count++;
    if (scratch > joining->scratch)
        joining->scratch = scratch;
    return HY_OK;
}

static enum hy_code join_all(struct joining *joining, struct hy_error *err)
{
    const struct hy_cpu_plan *plan = joining->plan;
    struct hy_chain *chain =
        hy_arena_alloc(&joining->memory, sizeof *chain + plan->step_count * sizeof *chain->members);
    enum hy_code code = HY_OK;

    if (!chain)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a plan");
    for (uint32_t first = 0; first < plan->step_count && code == HY_OK;) {
        size_t scratch;
        const uint32_t count = make_chain(joining, first, chain, &scratch);
        if (count > 0)
            code = join_steps(joining, first, chain, scratch, err);
        first += count > 0 ? count : 1;
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
        for (uint32_t k = 0; k < operation->input_count; k++) {
            const uint32_t stored = hy_cpu_graph_stored(graph, operation->inputs[k]);
            joining->readers[operation->inputs[k]]++;
            if (stored != HY_CPU_NO_OPERAND)
                joining->readers[stored]++;
        }
    }
    return true;
}

/* A copy of a plan before joining. */
struct before {
    struct hy_cpu_plan_step *steps;
    size_t *offsets;
    struct hy_span_layout arena;
    size_t scratch_size;
    uint32_t blocking_count;
};

static bool remember(struct joining *joining, struct before *before)
{
    const struct hy_cpu_plan *plan = joining->plan;
    const size_t operands = joining->program->graph.operand_count;
    struct hy_arena *memory = &joining->memory;

    before->steps = hy_arena_copy(memory, plan->steps, plan->step_count, sizeof *plan->steps);
    before->offsets = hy_arena_copy(memory, plan->offsets, operands, sizeof *plan->offsets);
    before->arena = plan->arena;
    before->scratch_size = plan->scratch_size;
    before->blocking_count = plan->blocking_count;
    return before->steps && before->offsets;
}

static void restore(const struct joining *joining, const struct before *before)
{
    struct hy_cpu_plan *plan = joining->plan;

    memcpy(plan->steps, before->steps, plan->step_count * sizeof *plan->steps);
    memcpy(plan->offsets, before->offsets,
           joining->program->graph.operand_count * sizeof *plan->offsets);
    plan->arena = before->arena;
    plan->scratch_size = before->scratch_size;
    plan->blocking_count = before->blocking_count;
}

static enum hy_code join_and_lay_out(struct joining *joining, struct hy_error *err)
{
    struct hy_cpu_plan *plan = joining->plan;
    struct before before;

    if (!count_readers(joining) || !remember(joining, &before))
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a plan");
    enum hy_code code = join_all(joining, err);
    if (code != HY_OK || joining->count == 0)
        return code;
    code = hy_cpu_plan_lay_out(&joining->program->graph, plan, err);
    if (code == HY_OK && plan->arena.total > before.arena.total + joining->scratch)
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
    const enum hy_code code = join_and_lay_out(&joining, err);

    hy_arena_finish(&joining.memory);
    return code;
}
