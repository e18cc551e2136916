#ifndef HY_RUNTIME_PLAN_BORDERS_H
#define HY_RUNTIME_PLAN_BORDERS_H

#include "runtime/plan/plan.h"

/* What an execution may be asked for on behalf of one border, and of one step. */
#define HY_BORDER_LIMIT  (UINT64_C(1) << 30)
#define HY_SCRATCH_LIMIT (UINT64_C(1) << 32)

/* Sums the borders up, gives each the room that executions begin with, and says which of them lie
 * on a device. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_borders_count(struct hy_plan *plan, struct hy_error *err);

/* Finds the blocks of memory, asks prepared steps how much scratch memory they can be given, and
 * places that and the borders: plan->offsets, block_bytes and arena_bytes. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_lay_out(struct hy_plan *plan, struct hy_error *err);

/*
 * Places every border and every copy of one with the room it has by now, and the scratch memory of
 * every step, each in its block: what does not live at the same step shares memory. `offsets` as in
 * the plan, `bytes` has an entry for each block. A plan of one step needs none. Errors:
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_borders_place(const struct hy_plan *plan, uint64_t *offsets,
                                            uint64_t *bytes, struct hy_error *err);

/* The entries of `offsets`. */
static inline size_t hy_borders_span_count(const struct hy_plan *plan)
{
    return (size_t)plan->border_count + plan->step_count + plan->copy_count;
}

/* A multiple of the alignment that holds `bytes`, which are within the limit. */
static inline uint64_t hy_border_round(uint64_t bytes)
{
    return (bytes + HY_BORDER_ALIGNMENT - 1) / HY_BORDER_ALIGNMENT * HY_BORDER_ALIGNMENT;
}

/* An execution needed this many bytes for a border of unknown size, more than it had at first: the
 * next are to have them from the start. Any thread. */
void hy_border_note_need(struct hy_plan *plan, uint32_t index, uint64_t bytes);

#endif
