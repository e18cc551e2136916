/*
 * TRANSPOSE_CONV_2D, which XNNPACK calls deconvolution. Its output is
 * stride * (in - 1) + filter - pads + adjustment, with 0 <= adjustment < stride.
 */
#include "lowerings.h"

#include "weighted.h"
#include "window.h"
#include "xnnpack_driver/emit.h"
#include "xnnpack_driver/range.h"

#define MAX_SIZE (INT64_C(1) << 24)

/* Tail pads may be negative: the output then goes on beyond the last stride. */
static bool read_pads(struct xd_build *build, const struct hy_operation *operation,
                      struct hy_window *window)
{
    int64_t *const pads[] = {&window->width.head, &window->width.tail, &window->height.head,
                             &window->height.tail};
    for (uint32_t i = 0; i < 4; i++) {
        int32_t value = 0;
        if (!hy_read_i32(&build->reader, operation, 3 + i, &value))
            return false;
        if (value < 0 && i % 2 == 0)
            return hy_refuse(&build->reader, "input %u is %d, needs at least 0", 3 + i, value);
        *pads[i] = value;
    }
    return true;
}

/* The implicit form: SAME is told the size of the output. */
static bool read_scheme(struct xd_build *build, const struct hy_operation *operation,
                        struct hy_window *window)
{
    if (!hy_read_i32(&build->reader, operation, 4, &window->scheme))
        return false;
    window->height.head = window->height.tail = window->width.head = window->width.tail = 0;
    if (window->scheme == ANEURALNETWORKS_PADDING_VALID)
        return true;
    if (window->scheme != ANEURALNETWORKS_PADDING_SAME)
        return hy_refuse(&build->reader, "the padding scheme is %d, needs 1 or 2", window->scheme);

    int32_t shape[4];
    uint32_t count = 0;
    if (!xd_list_i32(build, operation, 3, 4, shape, &count))
        return false;
    if (count != 4 || shape[1] < 1 || shape[2] < 1)
        return hy_refuse(&build->reader, "input 3 is not the shape of an image");
    window->height.out = shape[1];
    window->width.out = shape[2];
    return true;
}

static bool solve(struct xd_build *build, struct hy_window_side *extent, int32_t scheme)
{
    if (scheme == ANEURALNETWORKS_PADDING_SAME) {
        const int64_t steps = (extent->out + extent->stride - 1) / extent->stride;
        const int64_t total = (steps - 1) * extent->stride + extent->filter;
        extent->head = total > extent->out ? (total - extent->out) / 2 : 0;
        extent->tail = total - extent->out - extent->head;
    }
    extent->out = extent->size * extent->stride + extent->filter - extent->stride - extent->head -
                  extent->tail;
    if (extent->out < 1 || extent->out > MAX_SIZE || extent->size > MAX_SIZE ||
        extent->filter > MAX_SIZE || extent->stride > MAX_SIZE)
        return hy_refuse(&build->reader,
                         "an output of %lld elements does not result from %lld elements, filter "
                         "%lld and stride %lld",
                         (long long)extent->out, (long long)extent->size, (long long)extent->filter,
                         (long long)extent->stride);
    /* XNNPACK divides the output among the phases of the stride and takes none to be empty. */
    if (extent->out < extent->stride)
        return hy_refuse(&build->reader, "an output of %lld elements is less than the stride %lld",
                         (long long)extent->out, (long long)extent->stride);
    if (extent->head >= extent->filter || extent->tail >= extent->filter ||
        -extent->tail >= extent->stride)
        return hy_refuse(&build->reader,
                         "pads %lld and %lld do not fit filter %lld and stride %lld",
                         (long long)extent->head, (long long)extent->tail,
                         (long long)extent->filter, (long long)extent->stride);
    return true;
}

static uint32_t extract_adjustment(struct hy_window_side *extent)
{
    const int64_t adjustment = extent->tail < 0 ? -extent->tail : 0;
    extent->tail += adjustment;
    return (uint32_t)adjustment;
}

static bool emit(struct xd_build *build, const struct hy_operation *operation,
                 const struct xd_weighted *w, struct hy_window *window, struct xd_tensor *output,
                 const struct hy_value_range *range)
{
    struct xd_node *node = xd_emit(build,
                                   xd_weighted_kind(w, XD_KIND_deconvolution2d_nhwc_f32,
                                                    XD_KIND_deconvolution2d_nhwc_qu8,
                                                    XD_KIND_deconvolution2d_nhwc_qs8),
                                   w->input, output);
    if (!node)
        return false;
    const uint32_t adjust_height = extract_adjustment(&window->height);
    const uint32_t adjust_width = extract_adjustment(&window->width);
    node->plane = xd_window_plane(window);
    node->plane.adjust_height = adjust_height;
    node->plane.adjust_width = adjust_width;
    node->plane.group_inputs = w->input->dims[3];
    node->plane.group_outputs = w->weights->dims[0];
    node->rows = w->input->dims[0];
    node->input_stride = w->input->dims[3];
    node->range = *range;
    node->work = xd_all_elements(w->input) * node->plane.filter_height * node->plane.filter_width *
                 node->plane.group_outputs;
    return xd_weighted_fill(build, operation, w, node);
}

static bool read_all(struct xd_build *build, const struct hy_operation *operation,
                     const struct xd_weighted *w, struct hy_window *window)
{
    const bool implicit = operation->input_count == 9;
    if (!hy_check_nhwc(&build->reader, operation, implicit ? 8 : 10))
        return false;
    if (w->input->rank != 4 || w->weights->dims[3] != w->input->dims[3])
        return hy_refuse(&build->reader, "input 0 has rank %u, weights are for %u channels",
                         w->input->rank, w->weights->dims[3]);
    if (XD_HAS(XD_QC8, w->weights))
        return hy_refuse(&build->reader,
                         "XNNPACK does not support deconvolution with scales per channel");
    if (!(implicit ? read_scheme(build, operation, window) : read_pads(build, operation, window)) ||
        !hy_window_read_pair(&build->reader, operation, implicit ? 5 : 7, &window->width.stride,
                             &window->height.stride))
        return false;
    window->height.size = w->input->dims[1];
    window->width.size = w->input->dims[2];
    window->height.filter = w->weights->dims[1];
    window->width.filter = w->weights->dims[2];
    window->height.dilation = window->width.dilation = 1;
    return solve(build, &window->height, window->scheme) &&
           solve(build, &window->width, window->scheme) && xd_window_fits(build, window);
}

bool xd_lower_transpose_convolution(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_weighted w;
    struct hy_window window = {0};
    if (!xd_weighted_read(build, operation, 4, 0, &w) || !read_all(build, operation, &w, &window))
        return false;

    const uint32_t dims[] = {w.input->dims[0], (uint32_t)window.height.out,
                             (uint32_t)window.width.out, w.weights->dims[0]};
    struct xd_tensor *output = xd_output(build, operation, 0, w.input->type, 4, dims);
    struct hy_value_range range;
    return output &&
           xd_activation(build, operation, operation->input_count == 9 ? 7 : 9, output, &range) &&
           xd_weighted_fits(build, operation, &w, output) &&
           emit(build, operation, &w, &window, output, &range);
}
