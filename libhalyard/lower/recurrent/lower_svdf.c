#include "libhalyard/lower/families.h"
#include "libhalyard/lower/recurrent/recurrent.h"

/* Inputs of SVDF. */
enum { FEATURE_WEIGHTS = 1, TIME_WEIGHTS = 2, BIAS = 3, STATE = 4 };

static void lower_float_svdf(struct hy_lowering *lowering)
{
    const struct hy_attributes_svdf *attributes = &lowering->node->attributes.svdf;
    const bool is_relu1 = attributes->activation == HY_ACTIVATION_RELU1; /* no cell has RELU1 */

    hy_expect(lowering, hy_input(lowering, 0)->element == HY_ELEMENT_FLOAT32, "this type of input");
    hy_push_input(lowering, 0);
    hy_push_weights(lowering, FEATURE_WEIGHTS);
    hy_push_weights(lowering, TIME_WEIGHTS);
    hy_push_optional_weights(lowering, BIAS, STATE, 1);
    hy_push_input(lowering, STATE);
    hy_push_int(lowering, attributes->rank);
    hy_push_cell_activation(lowering, is_relu1 ? HY_ACTIVATION_NONE : attributes->activation);
    uint32_t outputs[2];
    hy_state_outputs(lowering, 1, 1, (const uint32_t[]){STATE}, outputs);
    outputs[1] = is_relu1 ? hy_temporary_operand(lowering, hy_output(lowering, 0))
                          : hy_output_operand(lowering, 0);
    hy_emit_to_list(lowering, ANEURALNETWORKS_SVDF, outputs, 2);
    if (is_relu1) {
        hy_push(lowering, outputs[1]);
        hy_emit_to(lowering, ANEURALNETWORKS_RELU1, hy_output_operand(lowering, 0));
    }
}

void hy_lower_svdf(struct hy_lowering *lowering)
{
    if (hy_input(lowering, 0)->element == HY_ELEMENT_INT8)
        hy_lower_integer_svdf(lowering);
    else
        lower_float_svdf(lowering);
}
