#ifndef HY_COMMON_OPERATIONS_CONTROL_FLOW_H
#define HY_COMMON_OPERATIONS_CONTROL_FLOW_H

#include "common/error.h"
#include "common/operations/operation.h"

#include <halyard/driver.h>

#include <stdbool.h>

/*
 * IF and WHILE: operations that run two other subgraphs, their bodies.
 *
 *   IF     inputs: condition, then-model, else-model, inputs of the branch
 *   WHILE  inputs: condition model, body model, initial values of the loop
 */

/* Limit of the nesting depth of bodies; deeper models are refused. */
#define HY_CONTROL_FLOW_DEPTH 16u

/* Time limit of each WHILE in nanoseconds: the default of a request and the maximum. */
#define HY_LOOP_TIMEOUT_DEFAULT UINT64_C(2000000000)
#define HY_LOOP_TIMEOUT_MAXIMUM UINT64_C(15000000000)

static inline bool hy_is_control_flow(int32_t operation)
{
    return operation == HY_OP_IF || operation == HY_OP_WHILE;
}

/* The input with the first of the two models; the second model is the next input. */
static inline uint32_t hy_control_flow_first_model(int32_t operation)
{
    return operation == HY_OP_IF ? 1 : 0;
}

/* The first input passed to the bodies. */
static inline uint32_t hy_control_flow_first_value(int32_t operation)
{
    return operation == HY_OP_IF ? 3 : 2;
}

/*
 * Checks that an IF or WHILE and its two bodies match: numbers of inputs and outputs, and each
 * operand against its counterpart (type, quantization, extents if both are known).
 * hy_signature_check must have accepted the operation, and the indices of all three must be in
 * range. Errors: HY_BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_control_flow_check(const struct hy_operand *operands,
                                                 const struct hy_operation *operation,
                                                 const struct hy_subgraph *first,
                                                 const struct hy_subgraph *second,
                                                 struct hy_error *err);

#endif
