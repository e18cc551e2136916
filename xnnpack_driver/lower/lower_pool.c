/*
 * AVERAGE_POOL_2D and MAX_POOL_2D. Padded cells take part in nothing. XNNPACK's average over
 * quantised images counts them, and it has none for signed bytes: those go over float32, except
 * that a window over the whole image is its global average, which it has in every type.
 */
#include "lowerings.h"

#include "average.h"
#include "window.h"
#include "xnnpack_driver/emit.h"
#include "xnnpack_driver/range.h"

#define MAX_CELLS (UINT32_C(1) << 23) /* sums of bytes stay in 32 bits */

static bool read_window(struct xd_build *build, const struct hy_operation *operation,
                        const struct xd_tensor *input, struct hy_window *window,
                        uint32_t *activation)
{
    if (input->rank != 4)
        return hy_refuse(&build->reader, "input 0 has rank %u, needs 4", input->rank);
    return hy_window_read_pool(&build->reader, operation, input->dims, window, activation) &&
           xd_window_fits(build, window);
}

static bool has_pads(const struct xd_plane *plane)
{
    return (plane->top | plane->right | plane->bottom | plane->left) != 0;
}

static bool is_whole(const struct xd_plane *plane)
{
    return !has_pads(plane) && plane->filter_height == plane->in_height &&
           plane->filter_width == plane->in_width;
}

static bool emit_window(struct xd_build *build, enum xd_kind kind, const struct xd_tensor *input,
                        struct xd_tensor *output, const struct xd_plane *plane,
                        const struct hy_value_range *range)
{
    struct xd_node *node = xd_emit(build, kind, input, output);
    if (!node)
        return false;
    node->plane = *plane;
    node->rows = input->dims[0];
    node->range = *range;
    node->work = xd_all_elements(output) * plane->filter_height * plane->filter_width;
    return true;
}

/* The maximum, or the average, of one element: the activation is all that is left. */
static bool emit_clamp(struct xd_build *build, struct xd_tensor *input, struct xd_tensor *output,
                       const struct hy_value_range *range)
{
    if (xd_range_is_full(range, output)) {
        xd_same_bytes(build, input, output);
        return true;
    }
    struct xd_node *node = xd_emit(build,
                                   XD_HAS(XD_F32, input)   ? XD_KIND_clamp_nc_f32
                                   : XD_HAS(XD_QU8, input) ? XD_KIND_clamp_nc_u8
                                                           : XD_KIND_clamp_nc_s8,
                                   input, output);
    if (node)
        node->range = *range;
    return node != NULL;
}

static bool emit_max(struct xd_build *build, struct xd_tensor *input, struct xd_tensor *output,
                     const struct xd_plane *plane, const struct hy_value_range *range)
{
    return emit_window(build,
                       XD_HAS(XD_F32, input)   ? XD_KIND_max_pooling2d_nhwc_f32
                       : XD_HAS(XD_QU8, input) ? XD_KIND_max_pooling2d_nhwc_u8
                                               : XD_KIND_max_pooling2d_nhwc_s8,
                       input, output, plane, range);
}

static bool emit_average(struct xd_build *build, struct xd_tensor *input, struct xd_tensor *output,
                         const struct xd_plane *plane, const struct hy_value_range *range)
{
    if (is_whole(plane))
        return xd_emit_average(build, input, output, input->dims[0],
                               plane->in_height * plane->in_width, range);
    if (XD_HAS(XD_QU8, input) && !has_pads(plane))
        return emit_window(build, XD_KIND_average_pooling2d_nhwc_qu8, input, output, plane, range);

    struct xd_tensor *from = xd_detour_input(build, input);
    struct xd_tensor *to = from ? xd_detour_output(build, output) : NULL;
    const struct hy_value_range inner = to == output || !to ? *range : hy_full_range(to->type);
    return to && emit_window(build, XD_KIND_average_pooling2d_nhwc_f32, from, to, plane, &inner) &&
           xd_detour_end(build, to, output, range);
}

bool xd_lower_pool(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, XD_MAIN);
    struct hy_window window = {0};
    uint32_t activation = 0;
    if (!input || !read_window(build, operation, input, &window, &activation))
        return false;

    const struct xd_plane plane = xd_window_plane(&window);
    const uint32_t dims[] = {input->dims[0], (uint32_t)window.height.out,
                             (uint32_t)window.width.out, input->dims[3]};
    struct xd_tensor *output = xd_output(build, operation, 0, input->type, 4, dims);
    struct hy_value_range range;
    if (!output || !xd_same_quantisation(build, input, output) ||
        !xd_activation(build, operation, activation, output, &range))
        return false;

    const uint64_t cells = (uint64_t)plane.filter_height * plane.filter_width;
    if (cells > MAX_CELLS)
        return hy_refuse(&build->reader, "a window of %llu elements is too large",
                         (unsigned long long)cells);
    if (cells == 1 && output->bytes == input->bytes)
        return emit_clamp(build, input, output, &range);
    if (cells == 1)
        return hy_refuse(&build->reader, "XNNPACK does not support windows of one element");
    return operation->type == ANEURALNETWORKS_AVERAGE_POOL_2D
               ? emit_average(build, input, output, &plane, &range)
               : emit_max(build, input, output, &plane, &range);
}
