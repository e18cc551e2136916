#include "common/inference/infer_normalise.h"
#include "common/inference/infer_rules.h"
#include "common/operations/operation.h"

#include <android/NeuralNetworksTypes.h>

/* The axis from the optional input `index`, otherwise the last axis. Input 0 must have a rank. */
static enum hy_code read_axis(const struct hy_call *call, uint32_t index, uint32_t *axis,
                              struct hy_error *err)
{
    uint32_t rank = hy_call_input(call, 0)->shape.rank;

    if (index < call->input_count)
        return hy_call_axis(call, index, rank, axis, err);
    *axis = rank - 1;
    return HY_OK;
}

static enum hy_code check_l2_output(const struct hy_call *call, struct hy_error *err)
{
    switch (hy_call_input(call, 0)->type) {
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
        return hy_call_check_output_quant(call, 0, 1.0f / 128, 128, err);
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
        return hy_call_check_output_quant(call, 0, 1.0f / 128, 0, err);
    default:
        return HY_OK;
    }
}

enum hy_code hy_l2_normalisation_read(const struct hy_call *call, uint32_t *axis,
                                      struct hy_error *err)
{
    const bool is_extension = call->operation == HY_EXT_L2_NORMALIZATION;
    enum hy_code code = hy_call_check_filled(call, 0, 1, is_extension ? HY_MAX_RANK : 4, err);

    if (code == HY_OK && !is_extension)
        code = check_l2_output(call, err);
    return code == HY_OK ? read_axis(call, 1, axis, err) : code;
}

enum hy_code hy_local_response_read(const struct hy_call *call, struct hy_local_response *response,
                                    struct hy_error *err)
{
    struct hy_local_response read;

    enum hy_code code = hy_call_check_filled(call, 0, 1, 4, err);
    if (code == HY_OK)
        code = hy_call_size(call, 1, 0, &read.radius, err);
    if (code == HY_OK)
        code = hy_call_float(call, 2, &read.bias, err);
    if (code == HY_OK)
        code = hy_call_float(call, 3, &read.alpha, err);
    if (code == HY_OK)
        code = hy_call_float(call, 4, &read.beta, err);
    if (code == HY_OK)
        code = read_axis(call, 5, &read.axis, err);
    if (code == HY_OK)
        *response = read;
    return code;
}

enum hy_code hy_instance_normalisation_read(const struct hy_call *call,
                                            struct hy_instance_normalisation *instance,
                                            struct hy_error *err)
{
    struct hy_instance_normalisation read;

    enum hy_code code = hy_call_check_filled(call, 0, 4, 4, err);
    if (code == HY_OK)
        code = hy_call_float(call, 1, &read.gamma, err);
    if (code == HY_OK)
        code = hy_call_float(call, 2, &read.beta, err);
    if (code == HY_OK)
        code = hy_call_float(call, 3, &read.epsilon, err);
    if (code == HY_OK)
        code = hy_call_bool(call, 4, &read.nchw, err);
    if (code == HY_OK)
        *instance = read;
    return code;
}

/* The output has the shape of input 0. */
static enum hy_code same_shape(const struct hy_call *call, struct hy_shape *outputs,
                               enum hy_code code)
{
    if (code == HY_OK)
        outputs[0] = hy_call_input(call, 0)->shape;
    return code;
}

enum hy_code hy_infer_l2_normalisation(const struct hy_call *call, struct hy_shape *outputs,
                                       struct hy_error *err)
{
    uint32_t axis;
    return same_shape(call, outputs, hy_l2_normalisation_read(call, &axis, err));
}

enum hy_code hy_infer_local_response(const struct hy_call *call, struct hy_shape *outputs,
                                     struct hy_error *err)
{
    struct hy_local_response response;
    return same_shape(call, outputs, hy_local_response_read(call, &response, err));
}

enum hy_code hy_infer_instance_normalisation(const struct hy_call *call, struct hy_shape *outputs,
                                             struct hy_error *err)
{
    struct hy_instance_normalisation instance;
    return same_shape(call, outputs, hy_instance_normalisation_read(call, &instance, err));
}
