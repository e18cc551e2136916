#include "libhalyard/lower/families.h"
#include "libhalyard/lower/recurrent/recurrent.h"

#include "common/operations/operation.h"

/* Inputs of SVDF. */
enum { FEATURE_WEIGHTS = 1, TIME_WEIGHTS = 2, BIAS = 3, STATE = 4 };

static void lower_float_svdf(struct hy_lowering *lowering)
{
    const struct hy_attributes_svdf *attributes = &lowering->node->attributes.svdf;
    const bool is_relu1 = attributes->activation == HY_ACTIVATION_RELU1; /* no cell has RELU1 */

    hy_expect(lowering, hy_input(lowering, 0)->element == HY_ELEMENT_FLOAT32,
              "the type of the input");
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

static bool is_symmetric(const struct hy_graph_tensor *tensor, enum hy_element element)
{
    return tensor->element == element && tensor->quantisation.count == 1 &&
           tensor->quantisation.zero_points[0] == 0;
}

/* As TensorFlow Lite does, without the activation: the output's range has it. */
static void lower_integer_svdf(struct hy_lowering *lowering)
{
    const uint32_t weights[] = {FEATURE_WEIGHTS, TIME_WEIGHTS, STATE};
    uint32_t outputs[2];

    for (uint32_t i = 0; i < 3; i++)
        hy_expect(lowering,
                  is_symmetric(hy_input(lowering, weights[i]),
                               i == 0 ? HY_ELEMENT_INT8 : HY_ELEMENT_INT16),
                  "the type of the weights or state of an integer SVDF");
    hy_push_input(lowering, 0);
    hy_push(lowering,
            hy_input_operand_as(lowering, FEATURE_WEIGHTS, ANEURALNETWORKS_TENSOR_QUANT8_SYMM));
    hy_push_input(lowering, TIME_WEIGHTS);
    hy_push(lowering, hy_has_input(lowering, BIAS)
                          ? hy_input_operand_as(lowering, BIAS, ANEURALNETWORKS_TENSOR_INT32)
                          : hy_left_out_operand_of(lowering, ANEURALNETWORKS_TENSOR_INT32, 1));
    hy_push_input(lowering, STATE);
    hy_push_int(lowering, lowering->node->attributes.svdf.rank);
    hy_state_outputs(lowering, 1, 1, (const uint32_t[]){STATE}, outputs);
    outputs[1] = hy_output_operand(lowering, 0);
    hy_emit_to_list(lowering, HY_EXT_SVDF, outputs, 2);
}

void hy_lower_svdf(struct hy_lowering *lowering)
{
    if (hy_input(lowering, 0)->element == HY_ELEMENT_INT8)
        lower_integer_svdf(lowering);
    else
        lower_float_svdf(lowering);
}
