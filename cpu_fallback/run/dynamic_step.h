#ifndef HY_CPU_FALLBACK_RUN_DYNAMIC_STEP_H
#define HY_CPU_FALLBACK_RUN_DYNAMIC_STEP_H

#include "cpu_fallback/program/plan.h"

/*
 * A dynamic step: resolved at run time, because shapes or parameters depend on tensors that are
 * computed or given. The result is reused while shapes and parameters stay equal. All zero bytes is
 * unresolved.
 */
struct hy_cpu_dynamic_step {
    struct hy_arena memory;
    struct hy_call call; /* the resolved call, on its own values; values NULL: unresolved */
    struct hy_cpu_step step;
    bool is_empty; /* no output has an element */
};

/*
 * Resolves operation `index`, whose inputs have their shapes and data in `call`, and writes the
 * output shapes to `call`. `declared`: the values of the plan, one per operand. Errors: see
 * hy_cpu_call_infer_shapes and hy_cpu_program_resolve.
 */
HY_MUST_CHECK enum hy_code hy_cpu_dynamic_step_resolve(struct hy_cpu_dynamic_step *dynamic,
                                                       const struct hy_cpu_program *program,
                                                       uint32_t index, const struct hy_call *call,
                                                       const struct hy_value *declared,
                                                       struct hy_error *err);

void hy_cpu_dynamic_step_finish(struct hy_cpu_dynamic_step *dynamic);

#endif
