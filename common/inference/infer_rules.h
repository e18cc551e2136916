#ifndef HY_COMMON_INFERENCE_INFER_RULES_H
#define HY_COMMON_INFERENCE_INFER_RULES_H

#include "common/call.h"

/* The rules in the rows of ops.def, one hy_infer_RULE each. infer.h says what a rule promises; the
 * file of its family says what the rule checks. */
typedef enum hy_code hy_infer_fn(const struct hy_call *call, struct hy_shape *outputs,
                                 struct hy_error *err);

#define SHAPES(rule, values) HY_MUST_CHECK hy_infer_fn hy_infer_##rule;
#define LIMITS(rule, values) SHAPES(rule, values)
#define NO_SHAPES
#define OP(code, name, level, in_min, in_max, out_min, out_max, work, shapes, cpu) shapes
#define EXTENSION_OP(name, in_min, in_max, out_min, out_max, work, shapes, cpu)    shapes
#include "common/operations/ops.def"

#endif
