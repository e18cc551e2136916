#include "common/inference/infer.h"

#include "common/inference/infer_rules.h"
#include "common/operations/operation.h"

/* Sets of input numbers: one input, all inputs from one on, and the last input of a list of any
 * length. */
#define INPUT(n)       (UINT64_C(1) << (n))
#define INPUTS(a, b)   (INPUTS_FROM(a) & ~INPUTS_FROM((b) + 1))
#define INPUTS_FROM(n) (~UINT64_C(0) << (n))
#define LAST_INPUT     INPUT(63) /* above any list of fixed length */

static const struct rule {
    hy_infer_fn *infer;
    uint64_t values; /* inputs whose values must be known */
    bool gives_limits;
} rules[HY_OP_COUNT + 1] = {
#define SHAPES(rule, values) hy_infer_##rule, values, false
#define LIMITS(rule, values) hy_infer_##rule, values, true
#define NO_SHAPES            NULL, 0, false
#define OP(code, name, level, in_min, in_max, out_min, out_max, work, shapes, cpu) \
    [HY_OP_ROW(code)] = {shapes},
#define EXTENSION_OP(name, in_min, in_max, out_min, out_max, work, shapes, cpu) \
    [HY_OP_ROW(HY_EXT_##name)] = {shapes},
#include "common/operations/ops.def"
};

bool hy_infer_knows(int32_t operation)
{
    return rules[hy_op_row(operation)].infer;
}

bool hy_infer_needs_value(int32_t operation, uint32_t index, uint32_t input_count)
{
    const uint64_t values = rules[hy_op_row(operation)].values;

    if (index + 1 == input_count && values & LAST_INPUT)
        return true;
    return values >> (index < 62 ? index : 62) & 1;
}

bool hy_infer_is_ready(const struct hy_call *call)
{
    for (uint32_t i = 0; i < call->input_count; i++) {
        const struct hy_value *value = hy_call_input(call, i);
        if (value->omitted)
            continue;
        if (!value->known ||
            (!value->data && hy_infer_needs_value(call->operation, i, call->input_count)))
            return false;
    }
    return true;
}

bool hy_infer_gives_limits(int32_t operation)
{
    return rules[hy_op_row(operation)].gives_limits;
}

enum hy_code hy_infer_shapes(const struct hy_call *call, struct hy_shape *outputs,
                             struct hy_error *err)
{
    hy_infer_fn *infer = rules[hy_op_row(call->operation)].infer;

    return infer ? infer(call, outputs, err)
                 : hy_fail(err, HY_FAILED, "the operation has no rule for output shapes");
}
