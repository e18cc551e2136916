/*
 * CONCATENATION and SPLIT. Where it can, an input of CONCATENATION is written by its own operator
 * straight to its place, in rows that lie apart if need be. The rest is copied in such rows.
 */
#include "lowerings.h"

#include "xnnpack_driver/emit.h"

/* A part of a tensor along one axis. All sizes are elements. */
struct slice {
    size_t rows;   /* what comes before the axis */
    size_t length; /* of a row of the part */
    size_t offset; /* of the part in a row of the whole */
    size_t stride; /* of a row of the whole */
};

static struct slice slice_of(const struct xd_tensor *part, const struct xd_tensor *whole,
                             uint32_t axis, size_t offset)
{
    const size_t inner = xd_elements(whole, axis + 1, whole->rank);
    return (struct slice){.rows = xd_elements(whole, 0, axis),
                          .length = inner * part->dims[axis],
                          .offset = inner * offset,
                          .stride = inner * whole->dims[axis]};
}

/* ---- CONCATENATION --------------------------------------------------------------------------- */

static bool same_but_axis(const struct xd_tensor *a, const struct xd_tensor *b, uint32_t axis)
{
    bool same = a->rank == b->rank;
    for (uint32_t i = 0; same && i < a->rank; i++)
        same = i == axis || a->dims[i] == b->dims[i];
    return same;
}

/* The shape of the result; all inputs are checked here. */
static bool join_shapes(struct xd_build *build, const struct hy_operation *operation,
                        uint32_t *axis, uint32_t *dims)
{
    const uint32_t count = operation->input_count - 1;
    const struct xd_tensor *first = xd_input(build, operation, 0, XD_MAIN | XD_F16);
    int32_t value = 0;
    uint64_t extent = 0;
    if (!first || !hy_read_i32(&build->reader, operation, count, &value))
        return false;
    if (value < 0 || (uint32_t)value >= first->rank)
        return hy_refuse(&build->reader, "the axis is %d at rank %u", value, first->rank);
    *axis = (uint32_t)value;

    for (uint32_t i = 0; i < count; i++) {
        const struct xd_tensor *input = xd_input(build, operation, i, XD_TYPE(first->type));
        if (!input)
            return false;
        if (!same_but_axis(first, input, *axis))
            return hy_refuse(&build->reader,
                             "inputs 0 and %u differ in a dimension other than axis %u", i, *axis);
        extent += input->dims[*axis];
    }
    if (extent > XD_MAX_ELEMENTS)
        return hy_refuse(&build->reader, "%llu elements along the axis are too many",
                         (unsigned long long)extent);
    for (uint32_t i = 0; i < first->rank; i++)
        dims[i] = i == *axis ? (uint32_t)extent : first->dims[i];
    return true;
}

/* A node that writes the rows of a slice. */
static bool write_slice(struct xd_node *node, const struct slice *slice, size_t element_size,
                        struct xd_tensor *whole)
{
    if (!node)
        return false;
    node->rows = slice->rows;
    node->channels = node->input_stride = slice->length;
    node->output_stride = slice->stride;
    node->output_at = slice->offset * element_size;
    node->work = slice->rows * slice->length;
    whole->has_parts = true;
    return true;
}

static bool join(struct xd_build *build, struct xd_tensor *part, struct xd_tensor *whole,
                 const struct slice *slice)
{
    const bool as_is = !xd_is_quantised(part) || (part->quant.scale == whole->quant.scale &&
                                                  part->quant.zero == whole->quant.zero);
    if (as_is && xd_alias_part(build, part, whole, slice->rows, slice->offset, slice->stride))
        return true;
    if (as_is)
        return write_slice(xd_emit_copy(build, part, whole), slice,
                           hy_tensor_element_size(part->type), whole);
    struct xd_tensor *real = xd_detour_input(build, part);
    return real && write_slice(xd_emit_quantise(build, real, whole), slice, 1, whole);
}

bool xd_lower_concatenation(struct xd_build *build, const struct hy_operation *operation)
{
    uint32_t axis = 0, dims[XD_MAX_RANK];
    if (!join_shapes(build, operation, &axis, dims))
        return false;
    struct xd_tensor *first = &build->program->tensors[operation->inputs[0]];
    struct xd_tensor *whole = xd_output(build, operation, 0, first->type, first->rank, dims);
    if (!whole)
        return false;

    size_t offset = 0;
    for (uint32_t i = 0; i + 1 < operation->input_count; i++) {
        struct xd_tensor *part = &build->program->tensors[operation->inputs[i]];
        const struct slice slice = slice_of(part, whole, axis, offset);
        if (!join(build, part, whole, &slice))
            return false;
        offset += part->dims[axis];
    }
    return true;
}

/* ---- SPLIT ----------------------------------------------------------------------------------- */

static bool split(struct xd_build *build, struct xd_tensor *whole, struct xd_tensor *part,
                  const struct slice *slice)
{
    if (slice->rows == 1) {
        xd_view_part(build, part, whole, slice->offset);
        return true;
    }
    struct xd_node *node = xd_emit_copy(build, whole, part);
    if (!node)
        return false;
    node->rows = slice->rows;
    node->channels = node->output_stride = slice->length;
    node->input_stride = slice->stride;
    node->input_at = slice->offset * hy_tensor_element_size(part->type);
    return true;
}

bool xd_lower_split(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, XD_MAIN | XD_F16 | XD_I32);
    int32_t value = 0, count = 0;
    uint32_t axis = 0, dims[XD_MAX_RANK];
    if (!input || !hy_read_i32(&build->reader, operation, 1, &value) ||
        !hy_read_i32(&build->reader, operation, 2, &count) ||
        !hy_resolve_axis(&build->reader, value, input->rank, &axis))
        return false;
    if (count < 1 || (uint32_t)count != operation->output_count ||
        input->dims[axis] % (uint32_t)count != 0)
        return hy_refuse(&build->reader, "%u elements cannot be split in %d parts for %u outputs",
                         input->dims[axis], count, operation->output_count);

    for (uint32_t i = 0; i < input->rank; i++)
        dims[i] = i == axis ? input->dims[i] / (uint32_t)count : input->dims[i];
    for (uint32_t i = 0; i < operation->output_count; i++) {
        struct xd_tensor *part = xd_output(build, operation, i, input->type, input->rank, dims);
        if (!part || !xd_same_quantisation(build, input, part))
            return false;
    }
    for (uint32_t i = 0; i < operation->output_count; i++) {
        struct xd_tensor *part = &build->program->tensors[operation->outputs[i]];
        const struct slice slice = slice_of(part, input, axis, (size_t)i * dims[axis]);
        if (!split(build, input, part, &slice))
            return false;
    }
    return true;
}
