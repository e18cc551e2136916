#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

void hy_lower_softmax(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_float(lowering, lowering->node->attributes.softmax.beta);
    hy_emit(lowering, ANEURALNETWORKS_SOFTMAX);
}

/* Of 8 bits that of the real numbers. */
void hy_lower_log_softmax(struct hy_lowering *lowering)
{
    const bool is_byte = hy_is_byte(hy_input(lowering, 0));
    const uint32_t real = hy_real_operand(lowering, 0);
    const uint32_t result = is_byte ? hy_float_temporary_operand(lowering, hy_output(lowering, 0))
                                    : hy_output_operand(lowering, 0);

    hy_push(lowering, real);
    hy_push_float(lowering, 1.0f);
    hy_push_int(lowering, -1);
    hy_emit_to(lowering, ANEURALNETWORKS_LOG_SOFTMAX, result);
    if (is_byte)
        hy_emit_output_unary(lowering, ANEURALNETWORKS_QUANTIZE, result);
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
    hy_emit(lowering, ANEURALNETWORKS_L2_NORMALIZATION);
}
