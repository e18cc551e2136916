#include "libhalyard/lower/families.h"

#include <string.h>

#include "libhalyard/graph/constant.h"
#include "libhalyard/graph/strided_slice.h"

/* A RESHAPE to the rank of the output, and a TILE along what is stretched. */
void hy_lower_broadcast_to(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    uint32_t extents[HY_GRAPH_MAX_RANK];
    int32_t times[HY_GRAPH_MAX_RANK];

    hy_expect(lowering, input->rank <= output->rank && output->rank > 0,
              "a broadcast to this rank");
    if (lowering->code != HY_OK)
        return;
    const uint32_t more = output->rank - input->rank;
    for (uint32_t i = 0; i < output->rank; i++) {
        extents[i] = i < more ? 1 : (uint32_t)input->extents[i - more];
        hy_expect(lowering, extents[i] > 0 && output->extents[i] % (int32_t)extents[i] == 0,
                  "a broadcast between these shapes");
        times[i] = extents[i] > 0 ? output->extents[i] / (int32_t)extents[i] : 0;
    }
    if (lowering->code != HY_OK)
        return;
    const uint32_t longer = hy_temporary_operand_of(lowering, input, output->rank, extents);
    hy_push_input(lowering, 0);
    hy_push_ints(lowering, (const int32_t *)extents, output->rank);
    hy_emit_to(lowering, ANEURALNETWORKS_RESHAPE, longer);
    hy_push(lowering, longer);
    hy_push_ints(lowering, times, output->rank);
    hy_emit(lowering, ANEURALNETWORKS_TILE);
}

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

    uint32_t *slices = hy_arena_alloc(&lowering->scratch, (size_t)count * sizeof *slices);
    hy_expect_memory(lowering, slices);
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

/* NNAPI moves integers with GATHER alone: its rows are taken one dimension after the other. */
static void slice_integers(struct hy_lowering *lowering, const struct hy_strided_slice *slice)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    uint32_t extents[HY_GRAPH_MAX_RANK];
    uint32_t from = hy_input_operand(lowering, 0);

    for (uint32_t i = 0; i < slice->rank; i++)
        extents[i] = (uint32_t)input->extents[i];
    for (uint32_t i = 0; lowering->code == HY_OK && i < slice->rank; i++) {
        if (slice->count[i] == input->extents[i] && slice->stride[i] == 1)
            continue;
        int32_t *rows = hy_arena_alloc(&lowering->scratch, (size_t)slice->count[i] * sizeof *rows);
        hy_expect_memory(lowering, rows);
        for (int32_t j = 0; rows && j < slice->count[i]; j++)
            rows[j] = slice->begin[i] + j * slice->stride[i];
        extents[i] = (uint32_t)slice->count[i];
        const uint32_t to = hy_temporary_operand_of(lowering, input, slice->rank, extents);
        hy_push(lowering, from);
        hy_push_int(lowering, (int32_t)i);
        hy_push_ints(lowering, rows, (uint32_t)slice->count[i]);
        hy_emit_to(lowering, ANEURALNETWORKS_GATHER, to);
        from = to;
    }
    hy_push(lowering, from);
    hy_push_shape(lowering, hy_output(lowering, 0));
    hy_emit(lowering, ANEURALNETWORKS_RESHAPE);
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

    hy_expect(lowering,
              lowering->code == HY_OK &&
                  hy_strided_slice_resolve(lowering->graph, lowering->node, &slice),
              "a slice that is known only at run time, or does not fit");
    if (lowering->code != HY_OK)
        return;
    if (hy_is_integer(input)) {
        slice_integers(lowering, &slice);
        return;
    }
    for (uint32_t i = 0; i < slice.rank; i++) {
        end[i] = slice.begin[i] + slice.count[i] * slice.stride[i];
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
    if (slice.output_rank == slice.rank) {
        hy_emit(lowering, ANEURALNETWORKS_STRIDED_SLICE);
        return;
    }
    const uint32_t taken = hy_temporary_operand_of(lowering, input, slice.rank, extents);
    hy_emit_to(lowering, ANEURALNETWORKS_STRIDED_SLICE, taken);
    hy_push(lowering, taken);
    hy_push_shape(lowering, hy_output(lowering, 0));
    hy_emit(lowering, ANEURALNETWORKS_RESHAPE);
}

/* Constant indices of the first dimensions are indices of rows. */
void hy_lower_gather_nd(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *from = hy_input(lowering, 0);
    const struct hy_graph_tensor *indices = hy_input(lowering, 1);
    int64_t numbers[HY_CONSTANT_MAX_INTS];
    int32_t rows[HY_CONSTANT_MAX_INTS];
    const int64_t count = hy_constant_ints(indices, numbers, HY_CONSTANT_MAX_INTS);
    const uint32_t depth = indices->rank ? (uint32_t)indices->extents[indices->rank - 1] : 0;

    hy_expect(lowering, count > 0 && depth > 0 && depth <= from->rank,
              "indices that are known only at run time");
    if (lowering->code != HY_OK)
        return;
    uint32_t extents[1 + HY_GRAPH_MAX_RANK] = {1};
    const uint32_t rank = 1 + from->rank - depth;
    for (uint32_t i = 0; i < depth; i++)
        extents[0] *= (uint32_t)from->extents[i];
    for (uint32_t i = depth; i < from->rank; i++)
        extents[1 + i - depth] = (uint32_t)from->extents[i];
    const uint32_t row_count = (uint32_t)count / depth;
    for (uint32_t i = 0; i < row_count; i++) {
        int64_t row = 0;
        for (uint32_t j = 0; j < depth; j++) {
            const int64_t index = numbers[i * depth + j];
            hy_expect(lowering, index >= 0 && index < from->extents[j], "an index out of range");
            row = row * from->extents[j] + index;
        }
        rows[i] = (int32_t)row;
    }

    const uint32_t flat = hy_temporary_operand_of(lowering, from, rank, extents);
    hy_push_input(lowering, 0);
    hy_push_ints(lowering, (const int32_t *)extents, rank);
    hy_emit_to(lowering, ANEURALNETWORKS_RESHAPE, flat);
    extents[0] = row_count;
    const uint32_t taken = hy_temporary_operand_of(lowering, from, rank, extents);
    hy_push(lowering, flat);
    hy_push_int(lowering, 0);
    hy_push_ints(lowering, rows, row_count);
    hy_emit_to(lowering, ANEURALNETWORKS_GATHER, taken);
    hy_push(lowering, taken);
    hy_push_shape(lowering, hy_output(lowering, 0));
    hy_emit(lowering, ANEURALNETWORKS_RESHAPE);
}
