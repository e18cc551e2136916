#ifndef HY_RUNTIME_PLAN_BOUNDARY_TENSORS_H
#define HY_RUNTIME_PLAN_BOUNDARY_TENSORS_H

#include "runtime/plan/plan.h"

/* What an execution may be asked for on behalf of one boundary tensor, and of one step. */
#define HY_BOUNDARY_LIMIT (UINT64_C(1) << 30)
#define HY_SCRATCH_LIMIT  (UINT64_C(1) << 32)

/* Sums the boundary tensors up, gives each the room that executions begin with, and says which of
 * them lie on a device. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_boundary_tensors_count(struct hy_plan *plan, struct hy_error *err);

/* Finds the blocks of memory, asks prepared steps how much scratch memory they can be given, and
 * places that and the boundary tensors: plan->offsets, block_bytes and arena_bytes. Errors:
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_lay_out(struct hy_plan *plan, struct hy_error *err);

/*
 * Places every boundary tensor and every copy of one with the room it has by now, and the scratch
 * memory of every step, each in its block: what does not live at the same step shares memory.
 * `offsets` as in the plan, `bytes` has an entry for each block. A plan of one step needs none.
 * Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_boundary_tensors_place(const struct hy_plan *plan, uint64_t *offsets,
                                                     uint64_t *bytes, struct hy_error *err);

/* The entries of `offsets`. */
static inline size_t hy_boundary_tensors_span_count(const struct hy_plan *plan)
{
    return (size_t)plan->tensor_count + plan->step_count + plan->copy_count;
}

/* A multiple of the alignment that holds `bytes`, which are within the limit. */
static inline uint64_t hy_boundary_round(uint64_t bytes)
{
    return (bytes + HY_BOUNDARY_ALIGNMENT - 1) / HY_BOUNDARY_ALIGNMENT * HY_BOUNDARY_ALIGNMENT;
}

#endif
