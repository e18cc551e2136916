#include "libhalyard/lower/movement.h"

#include <string.h>

#include "common/operations/operation.h"
#include "libhalyard/graph/constant.h"
#include "libhalyard/graph/strided_slice.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/nnapi_operands.h"

bool hy_nnapi_moves(const struct hy_graph_tensor *tensor, enum hy_moved_integers integers)
{
    switch (hy_nnapi_type(tensor->element)) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
    case ANEURALNETWORKS_TENSOR_FLOAT16:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
        return tensor->rank <= HY_LEGAL_RANK;
    case ANEURALNETWORKS_TENSOR_INT32:
        return integers == HY_MOVES_INTEGERS && tensor->rank <= HY_LEGAL_RANK;
    default:
        return false;
    }
}

/* True if NNAPI moves the elements of input 0 by the numbers of the later inputs, including
 * int32. */
static bool nnapi_moves_first(struct hy_lowering *lowering, enum hy_moved_integers integers)
{
    bool moves = hy_nnapi_moves(hy_input(lowering, 0), integers);

    for (uint32_t i = 1; i < lowering->node->input_count; i++)
        moves &= hy_nnapi_moves(hy_input(lowering, i), HY_MOVES_INTEGERS);
    return moves;
}

/* An operator whose operations in NNAPI and in the extension have the same operands. */
static void lower_same(struct hy_lowering *lowering, enum hy_moved_integers integers, int32_t nnapi,
                       int32_t extension)
{
    const bool is_nnapi = nnapi_moves_first(lowering, integers);

    hy_push_inputs(lowering);
    hy_emit(lowering, is_nnapi ? nnapi : extension);
}

/* NNAPI has one axis, which must not be negative. */
void hy_lower_reverse(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *axes = hy_input(lowering, 1);
    const bool has_one =
        axes->data && hy_nnapi_rank(axes) == 1 && (axes->rank == 0 || axes->extents[0] == 1);

    lower_same(lowering, HY_MOVES_INTEGERS, has_one ? ANEURALNETWORKS_REVERSE : HY_EXT_REVERSE,
               HY_EXT_REVERSE);
}

void hy_lower_slice(struct hy_lowering *lowering)
{
    lower_same(lowering, HY_MOVES_INTEGERS, ANEURALNETWORKS_SLICE, HY_EXT_SLICE);
}

void hy_lower_tile(struct hy_lowering *lowering)
{
    lower_same(lowering, HY_MOVES_INTEGERS, ANEURALNETWORKS_TILE, HY_EXT_TILE);
}

void hy_lower_transpose(struct hy_lowering *lowering)
{
    lower_same(lowering, HY_MOVES_NO_INTEGERS, ANEURALNETWORKS_TRANSPOSE, HY_EXT_TRANSPOSE);
}

void hy_lower_concatenation(struct hy_lowering *lowering)
{
    const struct hy_attributes_axis *attributes = &lowering->node->attributes.axis;
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const int32_t rank = (int32_t)output->rank;

    hy_expect(lowering, attributes->activation == HY_ACTIVATION_NONE, "a fused activation");
    hy_push_inputs(lowering);
    hy_push_int(lowering, attributes->axis < 0 ? attributes->axis + rank : attributes->axis);
    hy_emit(lowering, hy_nnapi_moves(output, HY_MOVES_NO_INTEGERS) ? ANEURALNETWORKS_CONCATENATION
                                                                   : HY_EXT_CONCATENATION);
}

void hy_lower_embedding_lookup(struct hy_lowering *lowering)
{
    const bool is_nnapi = hy_nnapi_moves(hy_input(lowering, 0), HY_MOVES_INTEGERS) &&
                          hy_nnapi_moves(hy_input(lowering, 1), HY_MOVES_INTEGERS);

    hy_push_inputs(lowering);
    hy_emit(lowering, is_nnapi ? ANEURALNETWORKS_EMBEDDING_LOOKUP : HY_EXT_EMBEDDING_LOOKUP);
}

/* The extension has a STRIDED_SLICE of all elements, with a new dimension before an existing one or
 * at the end. */
static void expand_by_extension(struct hy_lowering *lowering)
{
    static const int32_t zeros[HY_GRAPH_MAX_RANK + 1];
    int32_t ones[HY_GRAPH_MAX_RANK + 1];
    const uint32_t rank = hy_input(lowering, 0)->rank;
    int64_t axis = 0;

    hy_expect(lowering, hy_constant_int(hy_input(lowering, 1), &axis),
              "a new dimension whose position is known only at run time");
    axis += axis < 0 ? (int64_t)rank + 1 : 0;
    hy_expect(lowering, axis >= 0 && axis <= (int64_t)rank, "an axis beyond the rank");
    if (lowering->code != HY_OK)
        return;
    const int32_t whole = (int32_t)((1u << axis) - 1); /* the dimensions before it */
    for (uint32_t i = 0; i <= HY_GRAPH_MAX_RANK; i++)
        ones[i] = 1;
    hy_push_input(lowering, 0);
    hy_push_ints(lowering, zeros, (uint32_t)axis + 1);
    hy_push_ints(lowering, zeros, (uint32_t)axis + 1);
    hy_push_ints(lowering, ones, (uint32_t)axis + 1);
    hy_push_int(lowering, whole);
    hy_push_int(lowering, whole);
    hy_push_int(lowering, 0);
    hy_push_int(lowering, 0);
    hy_push_int(lowering, (int32_t)(1u << axis));
    hy_push_bool(lowering, false);
    hy_emit(lowering, HY_EXT_STRIDED_SLICE);
}

/* For unknown extents; known extents use RESHAPE. */
void hy_lower_expand_dims(struct hy_lowering *lowering)
{
    if (!hy_nnapi_moves(hy_input(lowering, 0), HY_MOVES_INTEGERS)) {
        expand_by_extension(lowering);
        return;
    }
    hy_push_input(lowering, 0);
    hy_push_scalar_input(lowering, 1);
    hy_emit(lowering, ANEURALNETWORKS_EXPAND_DIMS);
}

/* NNAPI fills with a scalar, which a constant of float32 or int32 becomes. */
void hy_lower_fill(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *value = hy_input(lowering, 1);
    const int32_t type = hy_nnapi_type(value->element);
    const bool is_scalar =
        value->data && !value->sparsity &&
        (type == ANEURALNETWORKS_TENSOR_FLOAT32 || type == ANEURALNETWORKS_TENSOR_INT32);
    const bool is_nnapi = is_scalar && hy_nnapi_moves(hy_input(lowering, 0), HY_MOVES_INTEGERS);

    hy_push_input(lowering, 0);
    if (is_nnapi)
        hy_push_scalar_input(lowering, 1);
    else
        hy_push_input(lowering, 1);
    hy_emit(lowering, is_nnapi ? ANEURALNETWORKS_FILL : HY_EXT_FILL);
}

/* Zeros of an unknown shape. */
void hy_lower_zeros_like(struct hy_lowering *lowering)
{
    static const char zero[sizeof(int64_t)];
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const struct hy_graph_tensor shape = {
        .name = "", .element = HY_ELEMENT_INT32, .rank = 1, .extents = {(int32_t)input->rank}};
    const size_t bytes = hy_element_bits(input->element) / 8;
    const uint32_t one = 1;

    hy_expect(lowering, bytes > 0 && bytes <= sizeof zero && input->rank > 0,
              "the type or rank of the zeros");
    if (lowering->code != HY_OK)
        return;
    const uint32_t extents = hy_temporary_operand(lowering, &shape);
    hy_push_input(lowering, 0);
    hy_emit_to(lowering, HY_EXT_SHAPE, extents);
    hy_push(lowering, extents);
    hy_push(lowering, hy_constant_operand_like(lowering, input, 1, &one, zero, bytes));
    hy_emit(lowering, HY_EXT_FILL);
}

void hy_lower_gather(struct hy_lowering *lowering)
{
    const struct hy_attributes_gather *attributes = &lowering->node->attributes.gather;
    const struct hy_graph_tensor *indices = hy_input(lowering, 1);
    const int32_t batches = attributes->batch_dimensions +
                            (attributes->batch_dimensions < 0 ? (int32_t)indices->rank : 0);
    const bool is_nnapi = batches == 0 &&
                          hy_nnapi_moves(hy_input(lowering, 0), HY_MOVES_INTEGERS) &&
                          hy_nnapi_moves(indices, HY_MOVES_INTEGERS);

    hy_push_input(lowering, 0);
    hy_push_int(lowering, attributes->axis);
    hy_push_input(lowering, 1);
    if (!is_nnapi)
        hy_push_int(lowering, batches);
    hy_emit(lowering, is_nnapi ? ANEURALNETWORKS_GATHER : HY_EXT_GATHER);
}

void hy_lower_mirror_pad(struct hy_lowering *lowering)
{
    const bool is_nnapi = nnapi_moves_first(lowering, HY_MOVES_INTEGERS);

    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_int(lowering, lowering->node->attributes.mirror.symmetric ? 1 : 0);
    hy_emit(lowering, is_nnapi ? ANEURALNETWORKS_MIRROR_PAD : HY_EXT_MIRROR_PAD);
}

void hy_lower_pack(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const int32_t axis = lowering->node->attributes.axis.axis;
    const int32_t rank = (int32_t)output->rank;

    hy_push_int(lowering, axis < 0 ? axis + rank : axis);
    hy_push_inputs(lowering);
    hy_emit(lowering,
            hy_nnapi_moves(output, HY_MOVES_INTEGERS) ? ANEURALNETWORKS_PACK : HY_EXT_PACK);
}

void hy_lower_pad(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const int64_t zero = hy_zero_point_of(input);
    const uint32_t one = 1;

    if (nnapi_moves_first(lowering, HY_MOVES_NO_INTEGERS)) {
        hy_push_inputs(lowering);
        hy_emit(lowering, ANEURALNETWORKS_PAD);
        return;
    }
    hy_push_inputs(lowering);
    hy_push(lowering, hy_constant_operand_like(lowering, input, 1, &one, &zero,
                                               hy_element_bits(input->element) / 8));
    hy_emit(lowering, HY_EXT_PAD);
}

void hy_lower_pad_v2(struct hy_lowering *lowering)
{
    const bool is_nnapi =
        nnapi_moves_first(lowering, HY_MOVES_NO_INTEGERS) && hy_input(lowering, 2)->data;

    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    if (is_nnapi)
        hy_push_scalar_input(lowering, 2);
    else
        hy_push_input(lowering, 2);
    hy_emit(lowering, is_nnapi ? ANEURALNETWORKS_PAD_V2 : HY_EXT_PAD);
}

/* The target is the shape of the output; a run computes at most one unknown extent by itself. With
 * more unknown extents the target is a computed tensor. */
void hy_lower_reshape(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const bool reads_shape = hy_graph_unknown_extents(output) > 1;
    const bool is_nnapi =
        (reads_shape ? nnapi_moves_first(lowering, HY_MOVES_INTEGERS)
                     : hy_nnapi_moves(hy_input(lowering, 0), HY_MOVES_INTEGERS)) &&
        hy_nnapi_moves(output, HY_MOVES_INTEGERS);

    if (reads_shape) {
        hy_push_inputs(lowering);
    } else {
        hy_push_input(lowering, 0);
        hy_push_shape(lowering, output);
    }
    hy_emit(lowering, is_nnapi ? ANEURALNETWORKS_RESHAPE : HY_EXT_RESHAPE);
}

void hy_lower_split(struct hy_lowering *lowering)
{
    const bool is_nnapi = hy_nnapi_moves(hy_input(lowering, 1), HY_MOVES_INTEGERS);

    hy_push_input(lowering, 1);
    hy_push_scalar_input(lowering, 0);
    if (is_nnapi)
        hy_push_int(lowering, lowering->node->attributes.split.count);
    else
        hy_push(lowering, hy_left_out_operand_of(lowering, ANEURALNETWORKS_TENSOR_INT32, 1));
    hy_emit(lowering, is_nnapi ? ANEURALNETWORKS_SPLIT : HY_EXT_SPLIT);
}

/* For unknown sizes; known sizes use SLICE. */
void hy_lower_split_v(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_scalar_input(lowering, 2);
    hy_push_input(lowering, 1);
    hy_emit(lowering, HY_EXT_SPLIT);
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
    if (!hy_nnapi_moves(input, HY_MOVES_INTEGERS)) {
        hy_push_input(lowering, 0);
        hy_push_int(lowering, axis);
        hy_emit(lowering, HY_EXT_UNPACK);
        return;
    }
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

/* The specification of the file. */
static void slice_by_extension(struct hy_lowering *lowering)
{
    const struct hy_attributes_strided_slice *attributes =
        &lowering->node->attributes.strided_slice;

    hy_push_inputs(lowering);
    hy_push_int(lowering, attributes->begin_mask);
    hy_push_int(lowering, attributes->end_mask);
    hy_push_int(lowering, attributes->shrink_axis_mask);
    hy_push_int(lowering, attributes->ellipsis_mask);
    hy_push_int(lowering, attributes->new_axis_mask);
    hy_push_bool(lowering, attributes->end_is_offset);
    hy_emit(lowering, HY_EXT_STRIDED_SLICE);
}

/* A computed specification, with one entry per dimension. */
static void slice_at_run_time(struct hy_lowering *lowering)
{
    const struct hy_attributes_strided_slice *attributes =
        &lowering->node->attributes.strided_slice;

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

/* True if NNAPI supports an operator whose entries are known only during a run. */
static bool is_plain(struct hy_lowering *lowering)
{
    const struct hy_attributes_strided_slice *attributes =
        &lowering->node->attributes.strided_slice;
    const struct hy_graph_tensor *begin = hy_input(lowering, 1);

    return nnapi_moves_first(lowering, HY_MOVES_NO_INTEGERS) && begin->rank == 1 &&
           begin->extents[0] == (int32_t)hy_input(lowering, 0)->rank &&
           attributes->ellipsis_mask == 0 && attributes->new_axis_mask == 0 &&
           attributes->shrink_axis_mask == 0 && !attributes->end_is_offset;
}

/* A complete specification without masks, as NNAPI requires, and a RESHAPE if dimensions are
 * removed or added. */
void hy_lower_strided_slice(struct hy_lowering *lowering)
{
    struct hy_strided_slice slice;
    int32_t end[HY_GRAPH_MAX_RANK];
    uint32_t extents[HY_GRAPH_MAX_RANK];
    int32_t end_mask = 0;
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const bool is_nnapi = hy_nnapi_moves(input, HY_MOVES_NO_INTEGERS);

    if (!is_nnapi || (!is_known(lowering) && !is_plain(lowering))) {
        slice_by_extension(lowering);
        return;
    }
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
        const int64_t past_end = slice.begin[i] + (int64_t)slice.count[i] * slice.stride[i];
        end[i] = past_end < 0                   ? -1
                 : past_end > input->extents[i] ? input->extents[i]
                                                : (int32_t)past_end;
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
    const uint32_t sliced = hy_temporary_operand_of(lowering, input, slice.rank, extents);
    hy_emit_to(lowering, ANEURALNETWORKS_STRIDED_SLICE, sliced);
    hy_push(lowering, sliced);
    hy_push_shape(lowering, hy_output(lowering, 0));
    hy_emit(lowering, ANEURALNETWORKS_RESHAPE);
}
