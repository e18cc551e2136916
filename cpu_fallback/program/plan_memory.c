#include "cpu_fallback/program/plan_memory.h"

#include <assert.h>

#include "common/inference/infer_concat.h"
#include "common/operations/operation.h"
#include "cpu_fallback/kernels/types.h"

#define NO_SPAN UINT32_MAX

static_assert(HY_SPAN_ALIGNMENT % HY_KERNEL_ALIGNMENT == 0, "places suit kernels");

/* A span inside another span: the input of a CONCATENATION inside its output. */
struct part {
    uint32_t whole; /* index of the enclosing span, or NO_SPAN */
    uint64_t offset;
    bool has_views; /* several operands share its bytes */
};

/* Scratch of LARGE_SCRATCH bytes gets its own span in the arena. Smaller scratch is the same memory
 * for all steps, which stays in the cache. Scratch of SOME_SCRATCH bytes gets a span if the span
 * saves memory. */
#define LARGE_SCRATCH 20480u
#define SOME_SCRATCH  8192u

/* The span of each operand. Operands with the same bytes share a span. */
struct spans {
    struct hy_span *list;
    struct part *parts; /* per span */
    uint32_t count;
    uint32_t *of;         /* per operand: index into list, or NO_SPAN */
    uint32_t *of_scratch; /* per step: span of its scratch, or NO_SPAN */
};

static bool is_placeable(const struct hy_cpu_graph *graph, const struct hy_cpu_plan *plan,
                         uint32_t operand)
{
    return graph->operands[operand].lifetime == HY_LIFETIME_TEMPORARY &&
           !graph->operands[operand].is_constant && plan->values[operand].known;
}

/* The span of the operand that output 0 of a step may overwrite, or NO_SPAN. */
static uint32_t replaced_span(const struct hy_cpu_plan *plan, const struct spans *spans,
                              const struct hy_cpu_plan_step *step, uint32_t output)
{
    const uint32_t span = step->replaces == HY_CPU_NO_OPERAND ? NO_SPAN : spans->of[step->replaces];

    if (span == NO_SPAN || spans->parts[span].has_views ||
        spans->list[span].size != hy_cpu_value_bytes(&plan->values[output]))
        return NO_SPAN;
    return span;
}

/* The span that output 0 of a step inherits from an input; NO_SPAN: it needs its own. */
static uint32_t inherited_span(const struct hy_cpu_graph *graph, const struct hy_cpu_plan *plan,
                               struct spans *spans, const struct hy_cpu_plan_step *step)
{
    const struct hy_cpu_operation *operation = &graph->operations[step->operation];

    if (step->is_dynamic || step->is_empty || step->is_joined)
        return NO_SPAN;
    if (!(step->step.op->flags & HY_CPU_OP_CAN_ALIAS))
        return replaced_span(plan, spans, step, operation->outputs[0]);
    const uint32_t span = spans->of[operation->inputs[0]];
    if (span != NO_SPAN)
        spans->parts[span].has_views = true;
    return span;
}

static uint32_t add_span(struct spans *spans, uint64_t bytes, uint32_t step)
{
    const uint32_t span = spans->count++;

    spans->list[span] = (struct hy_span){.size = bytes, .first = step, .last = step};
    spans->parts[span] = (struct part){.whole = NO_SPAN};
    return span;
}

static void begin_output(const struct hy_cpu_plan *plan, struct spans *spans, uint32_t operand,
                         uint32_t step, uint32_t inherited)
{
    if (inherited == NO_SPAN)
        inherited = add_span(spans, hy_cpu_value_bytes(&plan->values[operand]), step);
    spans->of[operand] = inherited;
    spans->list[inherited].last = step;
}

/* The step that runs step `index`: itself, or the last step of its chain. */
static uint32_t step_that_runs(const struct hy_cpu_plan *plan, uint32_t index)
{
    while (plan->steps[index].is_joined)
        index++;
    return index;
}

static void note_read(struct spans *spans, uint32_t operand, uint32_t step)
{
    if (spans->of[operand] != NO_SPAN)
        spans->list[spans->of[operand]].last = step;
}

/* Finds the lifetime of each span: from its first write to its last read. Intermediate tensors of a
 * chain have no span. */
static void find_spans(const struct hy_cpu_graph *graph, const struct hy_cpu_plan *plan,
                       struct spans *spans)
{
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_cpu_plan_step *step = &plan->steps[i];
        const struct hy_cpu_operation *operation = &graph->operations[step->operation];
        const uint32_t at = step_that_runs(plan, i);
        for (uint32_t k = 0; k < operation->input_count; k++) {
            const uint32_t stored = hy_cpu_graph_stored(graph, operation->inputs[k]);
            note_read(spans, operation->inputs[k], at);
            if (stored != HY_CPU_NO_OPERAND)
                note_read(spans, stored, at);
        }
        if (at != i)
            continue;
        uint32_t inherited = inherited_span(graph, plan, spans, step);
        for (uint32_t k = 0; k < operation->output_count; k++) {
            uint32_t operand = operation->outputs[k];
            if (is_placeable(graph, plan, operand))
                begin_output(plan, spans, operand, i, k == 0 ? inherited : NO_SPAN);
        }
    }
}

/* The scratch of a step lives during the step only. `large`: the smallest scratch with a span. */
static void find_scratch(struct hy_cpu_plan *plan, struct spans *spans, size_t large)
{
    plan->scratch_size = 0;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_cpu_plan_step *step = &plan->steps[i];
        const size_t bytes = step->is_joined ? 0 : step->step.scratch;
        spans->of_scratch[i] = bytes >= large ? add_span(spans, bytes, i) : NO_SPAN;
        if (bytes < large && bytes > plan->scratch_size)
            plan->scratch_size = bytes;
    }
}

/* ---- Concatenation without copies ------------------------------------------------------------ */

static bool is_concatenation(const struct hy_call *call)
{
    return call->operation == HY_OP_CONCATENATION || call->operation == HY_EXT_CONCATENATION;
}

/* True if each input of a CONCATENATION is a contiguous part of its output. */
static bool is_in_runs(const struct hy_call *call)
{
    const struct hy_shape *out = &hy_call_output(call, 0)->shape;
    struct hy_error ignored;
    uint32_t axis;

    return hy_concatenation_axis(call, &axis, &ignored) == HY_OK &&
           hy_shape_span(out, 0, axis) == 1;
}

static bool is_same_quant(const struct hy_value *a, const struct hy_value *b)
{
    return a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point;
}

/* Moves the span of an input into the span of the output, if the input fills its span and lies in
 * no other span yet. The span of the output then covers the lifetimes of its parts. */
static void join_part(struct spans *spans, uint32_t part, uint32_t whole, uint64_t offset,
                      uint64_t bytes)
{
    struct hy_span *inner = &spans->list[part], *outer = &spans->list[whole];

    if (part == whole || spans->parts[part].whole != NO_SPAN || inner->size != bytes)
        return;
    spans->parts[part].whole = whole;
    spans->parts[part].offset = offset;
    outer->first = inner->first < outer->first ? inner->first : outer->first;
    outer->last = inner->last > outer->last ? inner->last : outer->last;
}

static void join_parts(const struct hy_cpu_graph *graph, const struct hy_cpu_plan *plan,
                       const struct hy_cpu_plan_step *step, struct spans *spans)
{
    const struct hy_call call = hy_cpu_graph_call(graph, step->operation, plan->values);
    const uint32_t whole = spans->of[call.outputs[0]];
    uint64_t offset = 0;

    if (!is_concatenation(&call) || step->is_dynamic || step->is_empty || whole == NO_SPAN ||
        !is_in_runs(&call))
        return;
    for (uint32_t i = 0; i + 1 < call.input_count; i++) {
        const struct hy_value *part = hy_call_input(&call, i);
        const uint32_t span = spans->of[call.inputs[i]];
        const uint64_t bytes = hy_cpu_value_bytes(part);
        if (span != NO_SPAN && bytes > 0 && is_same_quant(part, hy_call_output(&call, 0)))
            join_part(spans, span, whole, offset, bytes);
        offset += bytes;
    }
}

/* In execution order: an output has all its parts before it becomes a part itself. */
static bool join_all(const struct hy_cpu_graph *graph, const struct hy_cpu_plan *plan,
                     struct spans *spans)
{
    bool any = false;

    for (uint32_t i = 0; i < plan->step_count; i++)
        join_parts(graph, plan, &plan->steps[i], spans);
    for (uint32_t i = 0; i < spans->count; i++)
        any |= spans->parts[i].whole != NO_SPAN;
    return any;
}

/* Allocates the spans. A part has size 0, because its offset follows from the enclosing span. */
static enum hy_code lay_out_joined(struct hy_arena *memory, struct spans *spans,
                                   struct hy_span_layout *span_layout, struct hy_error *err)
{
    for (uint32_t i = 0; i < spans->count; i++)
        if (spans->parts[i].whole != NO_SPAN)
            spans->list[i].size = 0;
    return hy_lay_out_spans(memory, spans->list, spans->count, span_layout, err);
}

/*
 * Joins the parts of concatenations, unless the arena becomes larger: the output of a CONCATENATION
 * is allocated as early as its first part. Without joining the parts are copied.
 */
static enum hy_code lay_out(const struct hy_cpu_graph *graph, struct hy_cpu_plan *plan,
                            struct spans *spans, struct hy_arena *memory, struct hy_error *err)
{
    const size_t bytes = spans->count * sizeof *spans->list;
    struct hy_span *alone = hy_arena_copy(memory, spans->list, 1, bytes);
    struct hy_span_layout joined;

    if (!alone)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a plan");
    enum hy_code code = hy_lay_out_spans(memory, alone, spans->count, &plan->arena, err);
    if (code == HY_OK && join_all(graph, plan, spans)) {
        code = lay_out_joined(memory, spans, &joined, err);
        if (code == HY_OK && joined.total <= plan->arena.total) {
            plan->arena = joined;
            return HY_OK;
        }
    }
    for (uint32_t i = 0; i < spans->count; i++)
        spans->parts[i].whole = NO_SPAN;
    spans->list = alone;
    return code;
}

static size_t offset_of(const struct spans *spans, uint32_t span)
{
    size_t offset = 0;

    for (; spans->parts[span].whole != NO_SPAN; span = spans->parts[span].whole)
        offset += (size_t)spans->parts[span].offset;
    return spans->list[span].offset + offset;
}

static size_t offset_or_none(const struct spans *spans, uint32_t span)
{
    return span == NO_SPAN ? HY_CPU_NO_OFFSET : offset_of(spans, span);
}

/* Finds and places the spans, allocated in `memory`. */
static enum hy_code lay_out_spans(const struct hy_cpu_graph *graph, struct hy_cpu_plan *plan,
                                  size_t large, struct hy_arena *memory, struct spans *spans,
                                  struct hy_error *err)
{
    const size_t count = graph->operand_count, most = count + plan->step_count;

    *spans = (struct spans){
        .list = hy_arena_alloc(memory, most * sizeof *spans->list),
        .parts = hy_arena_alloc(memory, most * sizeof *spans->parts),
        .of = hy_arena_alloc(memory, count * sizeof *spans->of),
        .of_scratch = hy_arena_alloc(memory, plan->step_count * sizeof *spans->of_scratch),
    };
    if (!spans->list || !spans->parts || !spans->of || !spans->of_scratch)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a plan");
    for (size_t i = 0; i < count; i++)
        spans->of[i] = NO_SPAN;
    find_spans(graph, plan, spans);
    find_scratch(plan, spans, large);
    return lay_out(graph, plan, spans, memory, err);
}

/* Places again with smaller scratch among the tensors, and uses the result if it needs less memory.
 */
static enum hy_code lay_out_scratch(const struct hy_cpu_graph *graph, struct hy_cpu_plan *plan,
                                    struct hy_arena *memory, struct spans *spans,
                                    struct hy_error *err)
{
    const struct hy_span_layout arena = plan->arena;
    const size_t scratch_size = plan->scratch_size;
    struct spans other;

    if (scratch_size < SOME_SCRATCH)
        return HY_OK;
    const enum hy_code code = lay_out_spans(graph, plan, SOME_SCRATCH, memory, &other, err);
    if (code == HY_OK && plan->arena.total + plan->scratch_size < arena.total + scratch_size) {
        *spans = other;
        return HY_OK;
    }
    plan->arena = arena;
    plan->scratch_size = scratch_size;
    return code;
}

enum hy_code hy_cpu_plan_lay_out(const struct hy_cpu_graph *graph, struct hy_cpu_plan *plan,
                                 struct hy_error *err)
{
    struct hy_arena memory = hy_cpu_arena(graph->host);
    struct spans spans;

    enum hy_code code = lay_out_spans(graph, plan, LARGE_SCRATCH, &memory, &spans, err);
    if (code == HY_OK)
        code = lay_out_scratch(graph, plan, &memory, &spans, err);
    for (size_t i = 0; i < graph->operand_count && code == HY_OK; i++)
        plan->offsets[i] = offset_or_none(&spans, spans.of[i]);
    for (uint32_t i = 0; i < plan->step_count && code == HY_OK; i++)
        plan->steps[i].scratch_offset = offset_or_none(&spans, spans.of_scratch[i]);
    hy_arena_finish(&memory);
    return code;
}
