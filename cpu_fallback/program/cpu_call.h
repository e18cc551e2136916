#ifndef HY_CPU_FALLBACK_PROGRAM_CPU_CALL_H
#define HY_CPU_FALLBACK_PROGRAM_CPU_CALL_H

#include "cpu_fallback/program/op.h"

/* Checks and shape inference for calls of operations. */

/* Bytes of a value whose shape is known; never above HY_CPU_TENSOR_LIMIT. */
uint64_t hy_cpu_value_bytes(const struct hy_value *value);

/* True if every present input has a shape, and a value if shapes or parameters depend on the value.
 * Always false for IF and WHILE, whose output shapes are known only after their bodies have run. */
bool hy_cpu_call_is_ready(const struct hy_call *call);

/*
 * Infers the output shapes of a ready call and writes them to call->values. If the operation sets
 * its shapes at run time, the shapes are upper limits. Errors: HY_FAILED (the rules of the
 * operation or the declared shapes are violated), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_call_infer_shapes(const struct hy_call *call,
                                                    struct hy_arena *memory, struct hy_error *err);

/* Marks the outputs of an operation that sets its shapes at run time as unknown: their declared and
 * inferred shapes are only limits. Operations with these outputs as inputs become dynamic steps. */
void hy_cpu_call_invalidate_outputs(const struct hy_call *call);

/* True if no output has an element, so nothing must be computed. */
bool hy_cpu_call_is_empty(const struct hy_call *call);

#endif
