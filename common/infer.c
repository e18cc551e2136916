#include "common/infer.h"

#include "common/infer_conv.h"
#include "common/infer_elementwise.h"
#include "common/infer_pool.h"
#include "common/infer_reshape.h"
#include "common/infer_softmax.h"
#include "common/operation.h"

/* Input numbers as bits: these, and all from one on. */
#define INPUT(n)       (1u << (n))
#define INPUTS_FROM(n) (~0u << (n))

static const struct rule {
    enum hy_code (*infer)(const struct hy_call *call, struct hy_shape *outputs,
                          struct hy_error *err);
    uint32_t values; /* inputs whose values must be known */
} rules[] = {
    [HY_OP_ADD] = {hy_infer_broadcast, INPUT(2)},
    [HY_OP_AVERAGE_POOL_2D] = {hy_infer_pool_2d, INPUTS_FROM(1)},
    [HY_OP_CONV_2D] = {hy_infer_conv_2d, INPUTS_FROM(3)},
    [HY_OP_DEPTHWISE_CONV_2D] = {hy_infer_depthwise_conv_2d, INPUTS_FROM(3)},
    [HY_OP_DEQUANTIZE] = {hy_infer_same_shape, 0},
    [HY_OP_FULLY_CONNECTED] = {hy_infer_fully_connected, INPUT(3)},
    [HY_OP_RESHAPE] = {hy_infer_reshape, INPUT(1)},
    [HY_OP_SOFTMAX] = {hy_infer_softmax, INPUTS_FROM(1)},
};

#define RULE_COUNT ((int32_t)(sizeof rules / sizeof rules[0]))

bool hy_infer_knows(int32_t operation)
{
    return operation >= 0 && operation < RULE_COUNT && rules[operation].infer;
}

bool hy_infer_needs_value(int32_t operation, uint32_t index)
{
    if (!hy_infer_knows(operation))
        return false;
    return rules[operation].values >> (index < 31 ? index : 31) & 1;
}

enum hy_code hy_infer_shapes(const struct hy_call *call, struct hy_shape *outputs,
                             struct hy_error *err)
{
    if (!hy_infer_knows(call->operation))
        return hy_fail(err, HY_FAILED, "there is no rule for its shapes");
    return rules[call->operation].infer(call, outputs, err);
}
