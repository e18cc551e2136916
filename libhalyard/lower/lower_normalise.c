#include "common/operations/operation.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/nnapi_operands.h"

/* Whether output 0 is real, or has the quantisation of NNAPI's operation: a scale, and of uint8 a
 * zero point that is 128 less of int8. */
static bool is_native(struct hy_lowering *lowering, float scale, int32_t zero_point)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const bool is_signed = output->element == HY_ELEMENT_INT8;

    if (!hy_is_byte(output))
        return output->element == HY_ELEMENT_FLOAT32 || output->element == HY_ELEMENT_FLOAT16;
    return hy_scale_of(output) == scale &&
           hy_zero_point_of(output) == zero_point - (is_signed ? 128 : 0);
}

void hy_lower_softmax(struct hy_lowering *lowering)
{
    const float beta = lowering->node->attributes.softmax.beta;

    hy_push_input(lowering, 0);
    hy_push_float(lowering, beta);
    if (is_native(lowering, 1.0f / 256, 0)) {
        hy_emit(lowering, ANEURALNETWORKS_SOFTMAX);
    } else {
        hy_push_int(lowering, -1);
        hy_emit(lowering, HY_EXT_SOFTMAX);
    }
}

void hy_lower_log_softmax(struct hy_lowering *lowering)
{
    const bool is_quantised = hy_nnapi_is_quantised(hy_nnapi_type(hy_input(lowering, 0)->element));

    hy_push_input(lowering, 0);
    hy_push_float(lowering, 1.0f);
    hy_push_int(lowering, -1);
    hy_emit(lowering, is_quantised ? HY_EXT_LOG_SOFTMAX : ANEURALNETWORKS_LOG_SOFTMAX);
}

void hy_lower_local_response_normalization(struct hy_lowering *lowering)
{
    const struct hy_attributes_local_response *attributes =
        &lowering->node->attributes.local_response;

    hy_push_input(lowering, 0);
    hy_push_int(lowering, attributes->radius);
    hy_push_float(lowering, attributes->bias);
    hy_push_float(lowering, attributes->alpha);
    hy_push_float(lowering, attributes->beta);
    hy_emit(lowering, ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION);
}

void hy_lower_l2_normalization(struct hy_lowering *lowering)
{
    hy_expect(lowering, lowering->node->attributes.binary.activation == HY_ACTIVATION_NONE,
              "a fused activation");
    hy_push_input(lowering, 0);
    if (is_native(lowering, 1.0f / 128, 128)) {
        hy_emit(lowering, ANEURALNETWORKS_L2_NORMALIZATION);
    } else {
        hy_push_int(lowering, -1);
        hy_emit(lowering, HY_EXT_L2_NORMALIZATION);
    }
}
