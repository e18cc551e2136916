#include "common/inference/infer_softmax.h"
#include "common/inference/infer_rules.h"

#include <android/NeuralNetworksTypes.h>
#include <math.h>

static enum hy_code check_output(const struct hy_call *call, struct hy_error *err)
{
    switch (hy_call_input(call, 0)->type) {
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
        return hy_call_check_output_quant(call, 0, 1.0f / 256, 0, err);
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
        return hy_call_check_output_quant(call, 0, 1.0f / 256, -128, err);
    default:
        return HY_OK;
    }
}

enum hy_code hy_softmax_read(const struct hy_call *call, struct hy_softmax *softmax,
                             struct hy_error *err)
{
    struct hy_softmax read;

    enum hy_code code = hy_call_check_rank(call, 0, 1, 4, err);
    if (code == HY_OK)
        code = check_output(call, err);
    if (code == HY_OK)
        code = hy_call_float(call, 1, &read.beta, err);
    if (code != HY_OK)
        return code;
    if (!(read.beta > 0) || isinf(read.beta))
        return hy_fail(err, HY_FAILED, "beta is %g, needs to be above 0, and finite",
                       (double)read.beta);

    uint32_t rank = hy_call_input(call, 0)->shape.rank;
    read.axis = rank - 1;
    if (call->input_count > 2)
        code = hy_call_axis(call, 2, rank, &read.axis, err);
    if (code == HY_OK)
        *softmax = read;
    return code;
}

enum hy_code hy_infer_softmax(const struct hy_call *call, struct hy_shape *outputs,
                              struct hy_error *err)
{
    struct hy_softmax softmax;
    enum hy_code code = hy_softmax_read(call, &softmax, err);

    if (code == HY_OK)
        outputs[0] = hy_call_input(call, 0)->shape;
    return code;
}

enum hy_code hy_log_softmax_read(const struct hy_call *call, struct hy_softmax *softmax,
                                 struct hy_error *err)
{
    struct hy_softmax read;

    enum hy_code code = hy_call_check_filled(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_float(call, 1, &read.beta, err);
    if (code == HY_OK)
        code = hy_call_axis(call, 2, hy_call_input(call, 0)->shape.rank, &read.axis, err);
    if (code == HY_OK)
        *softmax = read;
    return code;
}

enum hy_code hy_infer_log_softmax(const struct hy_call *call, struct hy_shape *outputs,
                                  struct hy_error *err)
{
    struct hy_softmax softmax;
    enum hy_code code = hy_log_softmax_read(call, &softmax, err);

    if (code == HY_OK)
        outputs[0] = hy_call_input(call, 0)->shape;
    return code;
}
