/* RESHAPE, SQUEEZE and EXPAND_DIMS: the same bytes in another shape, so no node at all. */
#include "lowerings.h"

#include "xnnpack_driver/emit.h"

#define SHAPED (XD_MAIN | XD_F16 | XD_I32)

static bool finish(struct xd_build *build, const struct hy_operation *operation,
                   struct xd_tensor *input, uint32_t rank, const uint32_t *dims)
{
    struct xd_tensor *output = xd_output(build, operation, 0, input->type, rank, dims);
    if (!output || !xd_same_quantisation(build, input, output))
        return false;
    if (output->bytes != input->bytes)
        return hy_refuse(&build->reader, "input 0 has %llu bytes, output 0 %llu",
                         (unsigned long long)input->bytes, (unsigned long long)output->bytes);
    xd_same_bytes(build, input, output);
    return true;
}

/* One size may be -1: what is left. */
static bool resolve_shape(struct xd_build *build, const struct xd_tensor *input,
                          const int32_t *sizes, uint32_t rank, uint32_t *dims)
{
    const size_t elements = xd_all_elements(input);
    uint32_t open = rank;
    size_t known = 1;
    for (uint32_t i = 0; i < rank; i++) {
        if (sizes[i] == -1 && open == rank) {
            open = i;
            continue;
        }
        if (sizes[i] < 1 || known > XD_MAX_ELEMENTS)
            return hy_refuse(&build->reader, "size %u of the new shape is %d", i, sizes[i]);
        known *= (uint32_t)sizes[i];
        dims[i] = (uint32_t)sizes[i];
    }
    if (open < rank)
        dims[open] = (uint32_t)(elements / known);
    return true;
}

bool xd_lower_reshape(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, SHAPED);
    int32_t sizes[XD_MAX_RANK];
    uint32_t rank = 0, dims[XD_MAX_RANK];
    return input && xd_list_i32(build, operation, 1, XD_MAX_RANK, sizes, &rank) &&
           resolve_shape(build, input, sizes, rank, dims) &&
           finish(build, operation, input, rank, dims);
}

/* The dimensions that go: those that are named, or all of one element. */
static bool read_squeezed(struct xd_build *build, const struct hy_operation *operation,
                          const struct xd_tensor *input, bool *goes)
{
    int32_t values[4 * XD_MAX_RANK]; /* an axis may be named more than once */
    uint32_t count = 0, axis = 0;
    const bool all = operation->input_count < 2 || hy_is_left_out(&build->reader, operation, 1);
    for (uint32_t i = 0; i < input->rank; i++)
        goes[i] = all && input->dims[i] == 1;
    if (all)
        return true;
    if (!xd_list_i32(build, operation, 1, 4 * XD_MAX_RANK, values, &count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!hy_resolve_axis(&build->reader, values[i], input->rank, &axis))
            return false;
        if (input->dims[axis] != 1)
            return hy_refuse(&build->reader, "dimension %u has %u elements, needs 1", axis,
                             input->dims[axis]);
        goes[axis] = true;
    }
    return true;
}

bool xd_lower_squeeze(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, SHAPED);
    bool goes[XD_MAX_RANK];
    uint32_t rank = 0, dims[XD_MAX_RANK];
    if (!input || !read_squeezed(build, operation, input, goes))
        return false;
    for (uint32_t i = 0; i < input->rank; i++) {
        if (!goes[i])
            dims[rank++] = input->dims[i];
    }
    if (rank == 0)
        dims[rank++] = 1;
    return finish(build, operation, input, rank, dims);
}

bool xd_lower_expand_dims(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, SHAPED);
    uint32_t axis = 0, dims[XD_MAX_RANK + 1];
    int32_t value = 0;
    if (!input || !hy_read_i32(&build->reader, operation, 1, &value) ||
        !hy_resolve_axis(&build->reader, value, input->rank + 1, &axis))
        return false;
    if (input->rank == XD_MAX_RANK)
        return hy_refuse(&build->reader, "output 0 would have rank %u", input->rank + 1);
    for (uint32_t i = 0; i <= input->rank; i++)
        dims[i] = i == axis ? 1 : input->dims[i - (i > axis)];
    return finish(build, operation, input, input->rank + 1, dims);
}
