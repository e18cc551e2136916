#include "common/operations/operation.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

/* Convolutions of volumes, by operations of org.halyard.operations. */

/* Operations have the order width, height, depth. */
static void push_triple(struct hy_lowering *lowering, const int32_t numbers[3])
{
    for (uint32_t i = 3; i > 0; i--)
        hy_push_int(lowering, numbers[i - 1]);
}

/* Data, filter and bias; the filter's output channels are dimension `channel_axis`. */
static void push_weighted(struct hy_lowering *lowering, uint32_t data, uint32_t bias,
                          uint32_t channel_axis)
{
    const struct hy_graph_tensor *of = hy_input(lowering, data), *filter = hy_input(lowering, 1);

    hy_expect(lowering, of->element == HY_ELEMENT_FLOAT32 && filter->element == HY_ELEMENT_FLOAT32,
              "volumes of a type other than float32");
    hy_expect(lowering, of->rank == 5 && filter->rank == 5, "volumes of rank other than 5");
    if (lowering->code != HY_OK)
        return;
    hy_push_input(lowering, data);
    hy_push_input(lowering, 1);
    hy_push(lowering, hy_bias_operand(lowering, bias, ANEURALNETWORKS_TENSOR_FLOAT32,
                                      (uint32_t)filter->extents[channel_axis], 0.0f));
}

/* TensorFlow Lite groups no channels. */
void hy_lower_conv_3d(struct hy_lowering *lowering)
{
    const struct hy_attributes_conv_3d *attributes = &lowering->node->attributes.conv_3d;

    push_weighted(lowering, 0, 2, 4);
    hy_push_padding(lowering, attributes->padding);
    push_triple(lowering, attributes->strides);
    hy_push_int(lowering, 1);
    hy_push_activation(lowering, attributes->activation);
    push_triple(lowering, attributes->dilations);
    hy_emit(lowering, HY_EXT_CONV_3D);
}

void hy_lower_transpose_conv_3d(struct hy_lowering *lowering)
{
    const struct hy_attributes_conv_3d *attributes = &lowering->node->attributes.conv_3d;

    push_weighted(lowering, 2, 3, 3);
    hy_push_shape(lowering, hy_output(lowering, 0));
    hy_push_padding(lowering, attributes->padding);
    push_triple(lowering, attributes->strides);
    hy_push_activation(lowering, attributes->activation);
    push_triple(lowering, attributes->dilations);
    hy_emit(lowering, HY_EXT_TRANSPOSE_CONV_3D);
}
