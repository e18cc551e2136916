#ifndef HY_COMMON_INFERENCE_INFER_H
#define HY_COMMON_INFERENCE_INFER_H

#include "common/call.h"

/*
 * Shapes of outputs, and the checks that an operation makes once shapes and parameters are known.
 * One row per operation: a runtime and the CPU backend share it, so they cannot disagree.
 */

/* True when there is a rule for this operation. */
bool hy_infer_knows(int32_t operation);

/*
 * True when the value of input `index`, one of `input_count`, decides shapes or parameters (a
 * stride, an axis, the shape of a RESHAPE), so that it must be known before the rule applies; false
 * for inputs that are only computed with.
 */
bool hy_infer_needs_value(int32_t operation, uint32_t index, uint32_t input_count);

/* Whether every input that is not omitted has a known shape, and its value where
 * hy_infer_needs_value asks for the value. */
bool hy_infer_is_ready(const struct hy_call *call);

/*
 * True when only running the operation tells the shapes of its outputs: what hy_infer_shapes gives
 * are then the largest they can have.
 */
bool hy_infer_gives_limits(int32_t operation);

/*
 * Gives the shapes of all outputs, output_count of them. The signature of the call has been
 * checked, every present input has a known shape, and the values that hy_infer_needs_value names
 * are there. Each value is read once, so it may lie in memory that others write to.
 * BOX_WITH_NMS_LIMIT and GENERATE_PROPOSALS find out while they run how much they give: their
 * shapes are the largest there can be.
 * Errors: HY_FAILED, with the reason (not the operation's name) in words.
 */
HY_MUST_CHECK enum hy_code hy_infer_shapes(const struct hy_call *call, struct hy_shape *outputs,
                                           struct hy_error *err);

#endif
