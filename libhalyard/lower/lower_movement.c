#include "libhalyard/lower/families.h"

void hy_lower_concatenation(struct hy_lowering *lowering)
{
    const struct hy_attributes_axis *attributes = &lowering->node->attributes.axis;
    const int32_t rank = (int32_t)hy_output(lowering, 0)->rank;

    hy_expect(lowering, attributes->activation == HY_ACTIVATION_NONE, "a fused activation");
    hy_push_inputs(lowering);
    hy_push_int(lowering, attributes->axis < 0 ? attributes->axis + rank : attributes->axis);
    hy_emit(lowering, ANEURALNETWORKS_CONCATENATION);
}

void hy_lower_expand_dims(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_scalar_input(lowering, 1);
    hy_emit(lowering, ANEURALNETWORKS_EXPAND_DIMS);
}

void hy_lower_fill(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_scalar_input(lowering, 1);
    hy_emit(lowering, ANEURALNETWORKS_FILL);
}

void hy_lower_gather(struct hy_lowering *lowering)
{
    const struct hy_attributes_gather *attributes = &lowering->node->attributes.gather;

    hy_expect(lowering, attributes->batch_dimensions == 0, "a batch dimension");
    hy_push_input(lowering, 0);
    hy_push_int(lowering, attributes->axis);
    hy_push_input(lowering, 1);
    hy_emit(lowering, ANEURALNETWORKS_GATHER);
}

void hy_lower_mirror_pad(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_int(lowering, lowering->node->attributes.mirror.symmetric ? 1 : 0);
    hy_emit(lowering, ANEURALNETWORKS_MIRROR_PAD);
}

void hy_lower_pack(struct hy_lowering *lowering)
{
    const int32_t axis = lowering->node->attributes.axis.axis;
    const int32_t rank = (int32_t)hy_output(lowering, 0)->rank;

    hy_push_int(lowering, axis < 0 ? axis + rank : axis);
    hy_push_inputs(lowering);
    hy_emit(lowering, ANEURALNETWORKS_PACK);
}

void hy_lower_pad_v2(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_scalar_input(lowering, 2);
    hy_emit(lowering, ANEURALNETWORKS_PAD_V2);
}

/* The target is the shape that the file gives its output: constant or options say the same. */
void hy_lower_reshape(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    static const int32_t one = 1; /* a scalar of the file is a tensor of one element here */

    if (hy_has_input(lowering, 1))
        hy_expect(lowering, hy_input(lowering, 1)->data, "a shape that is known only at run time");
    hy_push_input(lowering, 0);
    hy_push_ints(lowering, output->rank ? output->extents : &one, output->rank ? output->rank : 1);
    hy_emit(lowering, ANEURALNETWORKS_RESHAPE);
}

void hy_lower_split(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 1);
    hy_push_scalar_input(lowering, 0);
    hy_push_int(lowering, lowering->node->attributes.split.count);
    hy_emit(lowering, ANEURALNETWORKS_SPLIT);
}

void hy_lower_squeeze(struct hy_lowering *lowering)
{
    const struct hy_attributes_squeeze *attributes = &lowering->node->attributes.squeeze;

    hy_expect(lowering, attributes->count > 0, "squeezing every dimension of 1");
    hy_push_input(lowering, 0);
    hy_push_ints(lowering, attributes->axes, attributes->count);
    hy_emit(lowering, ANEURALNETWORKS_SQUEEZE);
}

void hy_lower_strided_slice(struct hy_lowering *lowering)
{
    const struct hy_attributes_strided_slice *attributes =
        &lowering->node->attributes.strided_slice;

    hy_expect(lowering, attributes->ellipsis_mask == 0 && attributes->new_axis_mask == 0,
              "an ellipsis or a new axis");
    hy_expect(lowering, !attributes->end_is_offset, "an end that counts from the begin");
    for (uint32_t i = 0; i < 4; i++)
        hy_push_input(lowering, i);
    hy_push_int(lowering, attributes->begin_mask);
    hy_push_int(lowering, attributes->end_mask);
    hy_push_int(lowering, attributes->shrink_axis_mask);
    hy_emit(lowering, ANEURALNETWORKS_STRIDED_SLICE);
}
