#ifndef HY_CPU_FALLBACK_RUN_LATE_H
#define HY_CPU_FALLBACK_RUN_LATE_H

#include "cpu_fallback/program/plan.h"

/*
 * A step that is resolved while running, because its shapes or parameters come from tensors that
 * are computed or given. What was resolved is kept for as long as they stay the same. All zero
 * bytes is a step not yet resolved.
 */
struct hy_cpu_late {
    struct hy_arena memory;
    struct hy_call call; /* as it was resolved, over values of its own; values NULL: not yet */
    struct hy_cpu_step step;
    bool is_empty; /* there is nothing to compute */
};

/*
 * Makes `late` ready for operation `index`, whose inputs have their shapes and data in `call`, and
 * gives the outputs their shapes there. `declared` (one value per operand) is what the plan knows.
 * Errors: as hy_cpu_call_settle and hy_cpu_program_resolve.
 */
HY_MUST_CHECK enum hy_code hy_cpu_late_resolve(struct hy_cpu_late *late,
                                               const struct hy_cpu_program *program, uint32_t index,
                                               const struct hy_call *call,
                                               const struct hy_value *declared,
                                               struct hy_error *err);

void hy_cpu_late_finish(struct hy_cpu_late *late);

#endif
