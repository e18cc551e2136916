/*
 * MEAN over dimensions that stand side by side: what comes before them are batches, what comes
 * after them are channels. That is XNNPACK's global average.
 */
#include "lowerings.h"

#include "average.h"
#include "xnnpack_driver/emit.h"
#include "xnnpack_driver/range.h"

#define MAX_WIDTH (UINT64_C(1) << 23) /* sums of bytes stay in 32 bits */

bool xd_emit_average(struct xd_build *build, const struct xd_tensor *input,
                     struct xd_tensor *output, size_t batches, size_t width,
                     const struct hy_value_range *range)
{
    struct xd_node *node = xd_emit(build,
                                   XD_HAS(XD_F32, input)   ? XD_KIND_global_average_pooling_nwc_f32
                                   : XD_HAS(XD_QU8, input) ? XD_KIND_global_average_pooling_nwc_qu8
                                                           : XD_KIND_global_average_pooling_nwc_qs8,
                                   input, output);
    if (!node)
        return false;
    node->rows = batches;
    node->width = width;
    node->channels = xd_all_elements(input) / batches / width;
    node->input_stride = node->output_stride = node->channels;
    node->range = *range;
    node->work = xd_all_elements(input);
    return true;
}

/* A bit for each dimension that goes. */
static bool read_axes(struct xd_build *build, const struct hy_operation *operation, uint32_t rank,
                      uint32_t *ret)
{
    int32_t values[4 * XD_MAX_RANK]; /* an axis may be named more than once */
    uint32_t count = 0;
    if (!xd_list_i32(build, operation, 1, 4 * XD_MAX_RANK, values, &count))
        return false;
    *ret = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t axis = 0;
        if (!hy_resolve_axis(&build->reader, values[i], rank, &axis))
            return false;
        *ret |= 1u << axis;
    }
    return true;
}

/* The dimensions [from, to) that hold all axes; those of one element are not in the way. */
static bool find_run(struct xd_build *build, const struct xd_tensor *input, uint32_t axes,
                     uint32_t *from, uint32_t *to)
{
    *from = *to = 0;
    for (uint32_t i = 0; i < input->rank; i++) {
        if (!(axes >> i & 1) || input->dims[i] == 1)
            continue;
        if (*to == 0)
            *from = i;
        else if (xd_elements(input, *to, i) != 1)
            return hy_refuse(&build->reader, "dimensions %u and %u are not adjacent", *to - 1, i);
        *to = i + 1;
    }
    return true;
}

static uint32_t reduced_shape(const struct xd_tensor *input, uint32_t axes, bool keep_dimensions,
                              uint32_t *dims)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < input->rank; i++) {
        const bool goes = axes >> i & 1;
        if (!goes || keep_dimensions)
            dims[rank++] = goes ? 1 : input->dims[i];
    }
    if (rank == 0)
        dims[rank++] = 1;
    return rank;
}

bool xd_lower_mean(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, XD_MAIN);
    uint32_t axes = 0, from = 0, to = 0, dims[XD_MAX_RANK];
    int32_t keep_dimensions = 0;
    if (!input || !read_axes(build, operation, input->rank, &axes) ||
        !hy_read_i32(&build->reader, operation, 2, &keep_dimensions) ||
        !find_run(build, input, axes, &from, &to))
        return false;

    const uint32_t rank = reduced_shape(input, axes, keep_dimensions > 0, dims);
    struct xd_tensor *output = xd_output(build, operation, 0, input->type, rank, dims);
    if (!output || !xd_same_quantisation(build, input, output))
        return false;
    const size_t width = xd_elements(input, from, to);
    if (width == 1) {
        xd_same_bytes(build, input, output);
        return true;
    }
    if (width > MAX_WIDTH)
        return hy_refuse(&build->reader, "a mean of %zu elements is not supported", width);
    const struct hy_value_range range = hy_full_range(output->type);
    return xd_emit_average(build, input, output, xd_elements(input, 0, from), width, &range);
}
