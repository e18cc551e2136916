#ifndef HY_COMMON_INFERENCE_INFER_H
#define HY_COMMON_INFERENCE_INFER_H

#include "common/call.h"

/*
 * Shapes of outputs, and the checks of an operation with known shapes and parameters. Each
 * operation has a rule, shared by the runtime and the CPU backend to guarantee equal results.
 */

/* True if the operation has a rule. */
bool hy_infer_knows(int32_t operation);

/*
 * True if the value of input `index` of `input_count` decides shapes or parameters (a stride, an
 * axis, the shape of a RESHAPE) and must be known before the rule applies; false for inputs used
 * only as data.
 */
bool hy_infer_needs_value(int32_t operation, uint32_t index, uint32_t input_count);

/* True if every present input has a known shape, and a known value if hy_infer_needs_value is true
 * for the input. */
bool hy_infer_is_ready(const struct hy_call *call);

/*
 * True if the output shapes are only known after a run. hy_infer_shapes returns the largest
 * possible shapes in this case.
 */
bool hy_infer_gives_limits(int32_t operation);

/*
 * Computes the shapes of all output_count outputs. The signature must have been checked, every
 * present input must have a known shape, and values required by hy_infer_needs_value must be
 * present. Each value is read once, so concurrent writes to the memory are harmless. For
 * BOX_WITH_NMS_LIMIT and GENERATE_PROPOSALS the shapes are the largest possible shapes. Errors:
 * HY_FAILED with the reason in the text (without the operation's name).
 */
HY_MUST_CHECK enum hy_code hy_infer_shapes(const struct hy_call *call, struct hy_shape *outputs,
                                           struct hy_error *err);

#endif
