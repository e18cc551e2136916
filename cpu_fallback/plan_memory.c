#include "cpu_fallback/plan_memory.h"

#include <assert.h>

#include "cpu_fallback/kernels/types.h"

#define NO_SPAN UINT32_MAX

static_assert(HY_PLACEMENT_ALIGNMENT % HY_KERNEL_ALIGNMENT == 0, "places suit kernels");

/* Which span an operand lives in: several operands share one when they are the same bytes. */
struct spans {
    struct hy_span *list;
    uint32_t count;
    uint32_t *of; /* per operand: index into list, or NO_SPAN */
};

static bool is_placeable(const struct hy_cpu_graph *graph, const struct hy_cpu_plan *plan,
                         uint32_t operand)
{
    return graph->operands[operand].lifetime == HY_LIFETIME_TEMPORARY &&
           !graph->operands[operand].is_constant && plan->values[operand].known;
}

/* The span that output 0 of a step takes over from input 0; NO_SPAN where it needs its own. */
static uint32_t inherited_span(const struct hy_cpu_graph *graph, const struct spans *spans,
                               const struct hy_cpu_plan_step *step)
{
    const struct hy_cpu_operation *operation = &graph->operations[step->operation];

    if (step->is_late || step->is_empty || !(step->step.op->flags & HY_CPU_OP_CAN_ALIAS))
        return NO_SPAN;
    return spans->of[operation->inputs[0]];
}

static void begin_output(const struct hy_cpu_plan *plan, struct spans *spans, uint32_t operand,
                         uint32_t step, uint32_t inherited)
{
    if (inherited == NO_SPAN) {
        uint64_t bytes = hy_cpu_value_bytes(&plan->values[operand]);
        inherited = spans->count++;
        spans->list[inherited] = (struct hy_span){.size = bytes, .first = step};
    }
    spans->of[operand] = inherited;
    spans->list[inherited].last = step;
}

/* Walks the steps: a span begins where it is first written and lasts until it is last read. */
static void find_spans(const struct hy_cpu_graph *graph, const struct hy_cpu_plan *plan,
                       struct spans *spans)
{
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_cpu_plan_step *step = &plan->steps[i];
        const struct hy_cpu_operation *operation = &graph->operations[step->operation];
        for (uint32_t k = 0; k < operation->input_count; k++) {
            uint32_t span = spans->of[operation->inputs[k]];
            if (span != NO_SPAN)
                spans->list[span].last = i;
        }
        uint32_t inherited = inherited_span(graph, spans, step);
        for (uint32_t k = 0; k < operation->output_count; k++) {
            uint32_t operand = operation->outputs[k];
            if (is_placeable(graph, plan, operand))
                begin_output(plan, spans, operand, i, k == 0 ? inherited : NO_SPAN);
        }
    }
}

enum hy_code hy_cpu_plan_place(const struct hy_cpu_graph *graph, struct hy_cpu_plan *plan,
                               struct hy_error *err)
{
    struct hy_arena memory = {0};
    size_t count = graph->operand_count;
    struct spans spans = {
        .list = hy_arena_alloc(&memory, count * sizeof *spans.list),
        .of = hy_arena_alloc(&memory, count * sizeof *spans.of),
    };
    enum hy_code code = HY_OK;

    if (!spans.list || !spans.of)
        code = hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a plan");
    if (code == HY_OK) {
        for (size_t i = 0; i < count; i++)
            spans.of[i] = NO_SPAN;
        find_spans(graph, plan, &spans);
        code = hy_place(spans.list, spans.count, &plan->arena, err);
    }
    for (size_t i = 0; i < count && code == HY_OK; i++)
        plan->places[i] = spans.of[i] == NO_SPAN ? HY_CPU_NO_PLACE : spans.list[spans.of[i]].offset;
    hy_arena_finish(&memory);
    return code;
}
