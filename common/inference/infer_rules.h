#ifndef HY_COMMON_INFERENCE_INFER_RULES_H
#define HY_COMMON_INFERENCE_INFER_RULES_H

#include "common/call.h"

/* The inference rules in the rows of ops.def, named hy_infer_RULE. infer.h describes the contract
 * of a rule; the file of each family describes the checks. */
typedef enum hy_code hy_infer_fn(const struct hy_call *call, struct hy_shape *outputs,
                                 struct hy_error *err);

#define SHAPES(rule, values) HY_MUST_CHECK hy_infer_fn hy_infer_##rule;
#define LIMITS(rule, values) SHAPES(rule, values)
#define NO_SHAPES
#define OP(code, name, level, in_min, in_max, out_min, out_max, work, shapes, cpu) shapes
#define EXTENSION_OP(name, in_min, in_max, out_min, out_max, work, shapes, cpu)    shapes
#include "common/operations/ops.def"

#endif
