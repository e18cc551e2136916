/* The layout of boundary tensors and scratch memory in the block of an execution. */
#include "runtime/plan/layout.h"

#include "common/memory/span_layout.h"
#include "runtime/plan/alloc.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/plan_counters.h"
#include "runtime/plan/trust.h"

#include <assert.h>

static_assert(HY_SPAN_ALIGNMENT == HY_BOUNDARY_ALIGNMENT, "places suit drivers");

/* The scratch size from the driver; 0 without a reply and for a single step. */
static uint64_t ask_scratch(const struct hy_plan *plan, const struct hy_step *step)
{
    struct hy_scratch scratch = {.struct_size = sizeof scratch};
    const struct hy_device *table = step->device->table;

    if (plan->step_count == 1 || !table || !HY_HAS(table, scratch_needed) ||
        table->scratch_needed(step->prepared, &scratch) != HY_STATUS_OK ||
        scratch.alignment > HY_BOUNDARY_ALIGNMENT || scratch.bytes > HY_SCRATCH_LIMIT)
        return 0;
    return scratch.bytes;
}

enum hy_code hy_plan_lay_out(struct hy_plan *plan, struct hy_error *err)
{
    struct hy_plan_layout *layout = &plan->layout;

    enum hy_code code = hy_trust_find(plan, err);
    if (code != HY_OK)
        return code;
    layout->span_count = (size_t)plan->tensor_count + plan->step_count + layout->copy_count;
    layout->offsets = hy_plan_alloc(&plan->arena, layout->span_count, sizeof *layout->offsets);
    if (!layout->offsets)
        return hy_fail(err, HY_OUT_OF_MEMORY, "offsets of %u boundary tensors", plan->tensor_count);
    for (uint32_t i = 0; i < plan->step_count; i++)
        plan->steps[i].scratch_bytes = ask_scratch(plan, &plan->steps[i]);
    code = hy_layout_assign_offsets(plan, layout->offsets, layout->block_bytes, err);
    layout->arena_bytes = 0;
    for (uint32_t i = 0; i < layout->block_count; i++)
        layout->arena_bytes += layout->block_bytes[i];
    return code;
}

static struct hy_span span_of(const struct hy_plan *plan, uint32_t tensor)
{
    return (struct hy_span){
        .size = atomic_load_explicit(&plan->counters->capacities[tensor], memory_order_relaxed),
        .first = plan->tensors[tensor].first_step,
        .last = plan->tensors[tensor].last_step,
    };
}

/* Lists the spans of one block and their indices. */
static uint32_t list_spans(const struct hy_plan *plan, uint32_t block, struct hy_span *spans,
                           uint32_t *numbers)
{
    const uint32_t steps = plan->tensor_count, copies = steps + plan->step_count;
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        if (plan->tensors[i].block != block)
            continue;
        numbers[count] = i;
        spans[count++] = span_of(plan, i);
    }
    for (uint32_t i = 0; i < plan->step_count && block == HY_BLOCK_OF_PROCESS; i++) {
        numbers[count] = steps + i;
        spans[count++] =
            (struct hy_span){.size = plan->steps[i].scratch_bytes, .first = i, .last = i};
    }
    for (uint32_t i = 0; i < plan->layout.copy_count; i++) {
        if (plan->layout.copies[i].block != block)
            continue;
        numbers[count] = copies + i;
        spans[count++] = span_of(plan, plan->layout.copies[i].tensor);
    }
    return count;
}

static enum hy_code lay_out_block(const struct hy_plan *plan, uint32_t block,
                                  struct hy_arena *memory, struct hy_span *spans, uint32_t *numbers,
                                  uint64_t *offsets, uint64_t *bytes, struct hy_error *err)
{
    const uint32_t count = list_spans(plan, block, spans, numbers);
    struct hy_span_layout span_layout = {0};

    enum hy_code code =
        count > 0 ? hy_lay_out_spans(memory, spans, count, &span_layout, err) : HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < count; i++)
        offsets[numbers[i]] = spans[i].offset;
    if (code == HY_OK)
        *bytes = span_layout.total;
    return code;
}

enum hy_code hy_layout_assign_offsets(const struct hy_plan *plan, uint64_t *offsets,
                                      uint64_t *bytes, struct hy_error *err)
{
    const size_t count = plan->layout.span_count;
    enum hy_code code = HY_OK;

    memset(bytes, 0, plan->layout.block_count * sizeof *bytes);
    if (plan->step_count == 1 && plan->tensor_count == 0)
        return HY_OK;
    struct hy_arena memory = {0};
    struct hy_span *spans = hy_arena_alloc(&memory, count * sizeof *spans);
    uint32_t *numbers = hy_arena_alloc(&memory, count * sizeof *numbers);
    if (!spans || !numbers)
        code = hy_fail(err, HY_OUT_OF_MEMORY, "offsets of %u boundary tensors", plan->tensor_count);
    for (uint32_t i = 0; code == HY_OK && i < plan->layout.block_count; i++)
        code = lay_out_block(plan, i, &memory, spans, numbers, offsets, &bytes[i], err);
    hy_arena_finish(&memory);
    return code;
}
