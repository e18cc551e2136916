#include <string.h>

#include "libhalyard/lower/families.h"

#include "libhalyard/graph/strided_slice.h"

void hy_lower_concatenation(struct hy_lowering *lowering)
{
    const struct hy_attributes_axis *attributes = &lowering->node->attributes.axis;
    const int32_t rank = (int32_t)hy_output(lowering, 0)->rank;

    hy_expect(lowering, attributes->activation == HY_ACTIVATION_NONE, "a fused activation");
    hy_push_inputs(lowering);
    hy_push_int(lowering, attributes->axis < 0 ? attributes->axis + rank : attributes->axis);
    hy_emit(lowering, ANEURALNETWORKS_CONCATENATION);
}

/* Of extents that only a run can tell; others are a RESHAPE. */
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

    hy_expect(lowering, attributes->batch_dimensions == 0,
              "a batch of indices whose shape is known only at run time");
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

/* The target is the shape of the output, of whose extents NNAPI finds one by itself. With more that
 * are not known the target is what a run computes. */
void hy_lower_reshape(struct hy_lowering *lowering)
{
    if (hy_graph_unknown_extents(hy_output(lowering, 0)) > 1) {
        hy_push_inputs(lowering);
    } else {
        hy_push_input(lowering, 0);
        hy_push_shape(lowering, hy_output(lowering, 0));
    }
    hy_emit(lowering, ANEURALNETWORKS_RESHAPE);
}

void hy_lower_split(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 1);
    hy_push_scalar_input(lowering, 0);
    hy_push_int(lowering, lowering->node->attributes.split.count);
    hy_emit(lowering, ANEURALNETWORKS_SPLIT);
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

    uint32_t *slices = hy_scratch_memory(lowering, count, sizeof *slices);
    for (uint32_t i = 0; lowering->code == HY_OK && i < count; i++)
        slices[i] = hy_temporary_operand_of(lowering, input, input->rank, slice);
    hy_push_input(lowering, 0);
    hy_push_int(lowering, axis);
    hy_push_int(lowering, (int32_t)count);
    if (lowering->code == HY_OK)
        hy_emit_to_list(lowering, ANEURALNETWORKS_SPLIT, slices, count);
    for (uint32_t i = 0; lowering->code == HY_OK && i < count; i++) {
        const struct hy_graph_tensor *output = hy_output(lowering, i);
        hy_push(lowering, slices[i]);
        hy_push_shape(lowering, output);
        hy_emit_to(lowering, ANEURALNETWORKS_RESHAPE, hy_output_operand(lowering, i));
    }
}

/* A specification that a run computes, with one entry per dimension. */
static void slice_at_run_time(struct hy_lowering *lowering)
{
    const struct hy_attributes_strided_slice *attributes =
        &lowering->node->attributes.strided_slice;
    const struct hy_graph_tensor *begin = hy_input(lowering, 1);

    hy_expect(lowering,
              begin->rank == 1 && begin->extents[0] == (int32_t)hy_input(lowering, 0)->rank &&
                  attributes->ellipsis_mask == 0 && attributes->new_axis_mask == 0 &&
                  !attributes->end_is_offset,
              "a slice of this form that is known only at run time");
    hy_push_inputs(lowering);
    hy_push_int(lowering, attributes->begin_mask);
    hy_push_int(lowering, attributes->end_mask);
    hy_push_int(lowering, attributes->shrink_axis_mask);
    hy_emit(lowering, ANEURALNETWORKS_STRIDED_SLICE);
}

static bool is_known(struct hy_lowering *lowering)
{
    return hy_graph_unknown_extents(hy_input(lowering, 0)) == 0 && hy_input(lowering, 1)->data &&
           hy_input(lowering, 2)->data && hy_input(lowering, 3)->data;
}

/* A whole specification without masks, which NNAPI wants, and a RESHAPE where dimensions go or
 * come. */
void hy_lower_strided_slice(struct hy_lowering *lowering)
{
    struct hy_strided_slice slice;
    int32_t end[HY_GRAPH_MAX_RANK];
    uint32_t extents[HY_GRAPH_MAX_RANK];
    int32_t end_mask = 0;
    const struct hy_graph_tensor *input = hy_input(lowering, 0);

    if (!is_known(lowering)) {
        slice_at_run_time(lowering);
        return;
    }
    hy_expect(lowering,
              lowering->code == HY_OK &&
                  hy_strided_slice_resolve(lowering->graph, lowering->node, &slice),
              "a slice that does not fit its input");
    if (lowering->code != HY_OK)
        return;
    for (uint32_t i = 0; i < slice.rank; i++) {
        const int64_t behind = slice.begin[i] + (int64_t)slice.count[i] * slice.stride[i];
        end[i] = behind < 0 ? -1 : behind > input->extents[i] ? input->extents[i] : (int32_t)behind;
        if (end[i] < 0) /* a negative end counts from the end */
            end_mask |= (int32_t)(1u << i);
        extents[i] = (uint32_t)slice.count[i];
    }
    hy_push_input(lowering, 0);
    hy_push_ints(lowering, slice.begin, slice.rank);
    hy_push_ints(lowering, end, slice.rank);
    hy_push_ints(lowering, slice.stride, slice.rank);
    hy_push_int(lowering, 0);
    hy_push_int(lowering, end_mask);
    hy_push_int(lowering, 0);
    if (slice.output_rank == slice.rank &&
        memcmp(slice.output_extents, slice.count, slice.rank * sizeof *slice.count) == 0) {
        hy_emit(lowering, ANEURALNETWORKS_STRIDED_SLICE);
        return;
    }
    const uint32_t taken = hy_temporary_operand_of(lowering, input, slice.rank, extents);
    hy_emit_to(lowering, ANEURALNETWORKS_STRIDED_SLICE, taken);
    hy_push(lowering, taken);
    hy_push_shape(lowering, hy_output(lowering, 0));
    hy_emit(lowering, ANEURALNETWORKS_RESHAPE);
}
