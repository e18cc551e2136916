#include "libhalyard/lower/families.h"

#include <string.h>

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
    if (hy_has_input(lowering, 1))
        hy_expect(lowering, hy_input(lowering, 1)->data, "a shape that is known only at run time");
    hy_push_input(lowering, 0);
    hy_push_shape(lowering, hy_output(lowering, 0));
    hy_emit(lowering, ANEURALNETWORKS_RESHAPE);
}

void hy_lower_split(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 1);
    hy_push_scalar_input(lowering, 0);
    hy_push_int(lowering, lowering->node->attributes.split.count);
    hy_emit(lowering, ANEURALNETWORKS_SPLIT);
}

/* Slices of `sizes` along an axis, one per output. */
void hy_lower_split_v(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const struct hy_graph_tensor *axis_tensor = hy_input(lowering, 2);
    int32_t axis = 0;
    int32_t begin[HY_GRAPH_MAX_RANK] = {0};

    hy_expect(lowering, axis_tensor->data && axis_tensor->bytes == sizeof axis,
              "an axis that is known only at run time");
    if (lowering->code != HY_OK)
        return;
    memcpy(&axis, axis_tensor->data, sizeof axis);
    axis += axis < 0 ? (int32_t)input->rank : 0;
    hy_expect(lowering, axis >= 0 && axis < (int32_t)input->rank, "an axis beyond the rank");
    for (uint32_t i = 0; lowering->code == HY_OK && i < lowering->node->output_count; i++) {
        const struct hy_graph_tensor *output = hy_output(lowering, i);
        hy_push_input(lowering, 0);
        hy_push_ints(lowering, begin, input->rank);
        hy_push_ints(lowering, output->extents, output->rank);
        hy_emit_to(lowering, ANEURALNETWORKS_SLICE, hy_output_operand(lowering, i));
        begin[axis] += output->extents[axis];
    }
}

/* A SPLIT into slices of one, each without the axis. */
void hy_lower_unpack(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const uint32_t count = lowering->node->output_count;
    int32_t axis = lowering->node->attributes.axis.axis;
    uint32_t slice[HY_GRAPH_MAX_RANK] = {0};

    axis += axis < 0 ? (int32_t)input->rank : 0;
    hy_expect(lowering, axis >= 0 && axis < (int32_t)input->rank, "an axis beyond the rank");
    if (lowering->code != HY_OK)
        return;
    for (uint32_t i = 0; i < input->rank; i++)
        slice[i] = (uint32_t)input->extents[i];
    slice[axis] = 1;

    const uint32_t first = lowering->operand_count; /* operands of one row of calls are numbered */
    for (uint32_t i = 0; i < count; i++)
        hy_temporary_operand_of(lowering, input, input->rank, slice);
    hy_push_input(lowering, 0);
    hy_push_int(lowering, axis);
    hy_push_int(lowering, (int32_t)count);
    hy_emit_to_row(lowering, ANEURALNETWORKS_SPLIT, first, count);
    for (uint32_t i = 0; lowering->code == HY_OK && i < count; i++) {
        const struct hy_graph_tensor *output = hy_output(lowering, i);
        hy_push(lowering, first + i);
        hy_push_shape(lowering, output);
        hy_emit_to(lowering, ANEURALNETWORKS_RESHAPE, hy_output_operand(lowering, i));
    }
}

/* NNAPI selects between tensors of one shape. */
void hy_lower_select_v2(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    for (uint32_t i = 0; i < 3; i++) {
        const struct hy_graph_tensor *input = hy_input(lowering, i);
        hy_expect(lowering,
                  input->rank == output->rank &&
                      memcmp(input->extents, output->extents,
                             output->rank * sizeof *output->extents) == 0,
                  "a broadcast");
    }
    hy_push_inputs(lowering);
    hy_emit(lowering, ANEURALNETWORKS_SELECT);
}

/* The output's shape says which dimensions go. */
void hy_lower_squeeze(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_shape(lowering, hy_output(lowering, 0));
    hy_emit(lowering, ANEURALNETWORKS_RESHAPE);
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
