#include "common/infer_elementwise.h"

#include <android/NeuralNetworksTypes.h>

enum hy_code hy_infer_broadcast(const struct hy_call *call, struct hy_shape *outputs,
                                struct hy_error *err)
{
    const struct hy_value *a = hy_call_input(call, 0);
    const struct hy_value *b = hy_call_input(call, 1);
    char a_text[HY_SHAPE_TEXT_SIZE], b_text[HY_SHAPE_TEXT_SIZE];
    int32_t activation = 0;

    enum hy_code code = hy_call_check_rank(call, 0, 1, 4, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, 1, 1, 4, err);
    if (code == HY_OK)
        code = hy_call_activation(call, 2, &activation, err);
    if (code != HY_OK)
        return code;
    if (a->type == ANEURALNETWORKS_TENSOR_INT32 && activation != ANEURALNETWORKS_FUSED_NONE)
        return hy_fail(err, HY_FAILED, "activation %d is not for int32", activation);
    if (!hy_shape_broadcast(&a->shape, &b->shape, &outputs[0]))
        return hy_fail(err, HY_FAILED, "inputs of shapes %s and %s do not broadcast",
                       hy_shape_text(&a->shape, a_text), hy_shape_text(&b->shape, b_text));
    return HY_OK;
}

enum hy_code hy_infer_same_shape(const struct hy_call *call, struct hy_shape *outputs,
                                 struct hy_error *err)
{
    enum hy_code code = hy_call_check_rank(call, 0, 1, 4, err);

    if (code == HY_OK)
        outputs[0] = hy_call_input(call, 0)->shape;
    return code;
}
