#ifndef HY_CPU_FALLBACK_PROGRAM_CALL_H
#define HY_CPU_FALLBACK_PROGRAM_CALL_H

#include "cpu_fallback/program/op.h"

/* Calls of operations: what is known of their values, and what shapes follow from it. */

/* Bytes of a value whose shape is known: at most HY_CPU_TENSOR_LIMIT. */
uint64_t hy_cpu_value_bytes(const struct hy_value *value);

/* Every present input has its shape, and its value where shapes or parameters need it. Never true
 * for IF and WHILE: only running their bodies tells what comes out. */
bool hy_cpu_call_is_ready(const struct hy_call *call);

/*
 * Gives the outputs of a ready call their shapes, in call->values; the largest they can have, if
 * the operation sets them when it runs. HY_FAILED: the rules of the operation, or the shapes the
 * model declares, do not allow it.
 */
HY_MUST_CHECK enum hy_code hy_cpu_call_settle(const struct hy_call *call, struct hy_arena *memory,
                                              struct hy_error *err);

/* What the model declares of outputs that the run gives their shapes is only a promise, and what
 * hy_cpu_call_settle tells only a limit: what reads them has to wait. */
void hy_cpu_call_forget_outputs(const struct hy_call *call);

/* No output has an element: there is nothing to compute. */
bool hy_cpu_call_is_empty(const struct hy_call *call);

#endif
