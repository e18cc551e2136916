/* RESIZE_BILINEAR, DEPTH_TO_SPACE and CHANNEL_SHUFFLE. */
#include "lowerings.h"

#include "xnnpack_driver/emit.h"

#include <math.h>

/* Of an output: XNNPACK keeps pointers and weights for each pixel. */
#define MAX_PIXELS (UINT64_C(1) << 24)
/* XNNPACK asserts that positions in the input stay inside of it; they are floats. */
#define MAX_SIDE (UINT32_C(1) << 20)

/* ---- RESIZE_BILINEAR ------------------------------------------------------------------------- */

/* Sizes, or factors by which they grow: width first. */
static bool read_size(struct xd_build *build, const struct hy_operation *operation,
                      uint32_t position, uint32_t size, uint32_t *ret)
{
    const struct hy_subgraph *graph = build->reader.model->main;
    const uint32_t index = operation->inputs[position];
    const bool is_factor =
        index < graph->operand_count && graph->operands[index].type == ANEURALNETWORKS_FLOAT32;
    float factor = 0;
    int32_t value = 0;
    if (!(is_factor ? hy_read_f32(&build->reader, operation, position, &factor)
                    : hy_read_i32(&build->reader, operation, position, &value)))
        return false;
    const float wanted = is_factor ? floorf((float)size * factor) : (float)value;
    if (!(wanted >= 1 && wanted <= (float)MAX_PIXELS))
        return hy_refuse(&build->reader, "input %u gives a size of %g", position, (double)wanted);
    *ret = is_factor ? (uint32_t)wanted : (uint32_t)value;
    return true;
}

static bool read_corners(struct xd_build *build, const struct hy_operation *operation,
                         uint32_t *flags)
{
    bool align = false, half_pixel = false;
    if (operation->input_count > 4 && !hy_read_bool(&build->reader, operation, 4, &align))
        return false;
    if (operation->input_count > 5 && !hy_read_bool(&build->reader, operation, 5, &half_pixel))
        return false;
    if (align && half_pixel)
        return hy_refuse(&build->reader, "both align_corners and half_pixel_centers");
    *flags = align ? XNN_FLAG_ALIGN_CORNERS : half_pixel ? 0 : XNN_FLAG_TENSORFLOW_LEGACY_MODE;
    return true;
}

static struct xd_node *emit_resize(struct xd_build *build, const struct xd_tensor *input,
                                   struct xd_tensor *output, uint32_t flags)
{
    struct xd_node *node = xd_emit(build,
                                   XD_HAS(XD_F32, input)   ? XD_KIND_resize_bilinear2d_nhwc_f32
                                   : XD_HAS(XD_QU8, input) ? XD_KIND_resize_bilinear2d_nhwc_u8
                                                           : XD_KIND_resize_bilinear2d_nhwc_s8,
                                   input, output);
    if (!node)
        return NULL;
    node->rows = input->dims[0];
    node->flags = flags;
    node->plane = (struct xd_plane){.in_height = input->dims[1],
                                    .in_width = input->dims[2],
                                    .out_height = output->dims[1],
                                    .out_width = output->dims[2]};
    node->work = 4 * xd_all_elements(output);
    return node;
}

bool xd_lower_resize_bilinear(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, XD_MAIN);
    uint32_t flags = 0, dims[4] = {0};
    if (!input)
        return false;
    if (input->rank != 4)
        return hy_refuse(&build->reader, "input 0 has rank %u, needs 4", input->rank);
    dims[0] = input->dims[0];
    dims[3] = input->dims[3];
    if (!hy_check_nhwc(&build->reader, operation, 3) ||
        !read_size(build, operation, 1, input->dims[2], &dims[2]) ||
        !read_size(build, operation, 2, input->dims[1], &dims[1]) ||
        !read_corners(build, operation, &flags))
        return false;
    if ((uint64_t)dims[1] * dims[2] > MAX_PIXELS || dims[1] > MAX_SIDE || dims[2] > MAX_SIDE ||
        input->dims[1] > MAX_SIDE || input->dims[2] > MAX_SIDE)
        return hy_refuse(&build->reader, "from %u x %u to %u x %u is too large", input->dims[1],
                         input->dims[2], dims[1], dims[2]);
    struct xd_tensor *output = xd_output(build, operation, 0, input->type, 4, dims);
    return output && xd_same_quantisation(build, input, output) &&
           emit_resize(build, input, output, flags);
}

/* ---- DEPTH_TO_SPACE -------------------------------------------------------------------------- */

bool xd_lower_depth_to_space(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, XD_F32);
    int32_t block = 0;
    if (!input || !hy_read_i32(&build->reader, operation, 1, &block) ||
        !hy_check_nhwc(&build->reader, operation, 2))
        return false;
    const int64_t area = (int64_t)block * block;
    if (input->rank != 4 || block < 1 || area > input->dims[3] || input->dims[3] % area != 0)
        return hy_refuse(&build->reader, "an input of rank %u with blocks of %d is not supported",
                         input->rank, block);

    const uint32_t dims[] = {input->dims[0], input->dims[1] * (uint32_t)block,
                             input->dims[2] * (uint32_t)block, (uint32_t)(input->dims[3] / area)};
    struct xd_tensor *output = xd_output(build, operation, 0, input->type, 4, dims);
    if (!output)
        return false;
    if (block == 1) {
        xd_same_bytes(build, input, output);
        return true;
    }
    struct xd_node *node = xd_emit(build, XD_KIND_depth_to_space_nhwc_x32, input, output);
    if (!node)
        return false;
    node->rows = input->dims[0];
    node->input_stride = input->dims[3];
    node->plane = (struct xd_plane){
        .in_height = input->dims[1], .in_width = input->dims[2], .block = (uint32_t)block};
    return true;
}

/* ---- CHANNEL_SHUFFLE ------------------------------------------------------------------------- */

bool xd_lower_channel_shuffle(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, XD_MAIN);
    int32_t groups = 0, value = 0;
    uint32_t axis = 0;
    if (!input || !hy_read_i32(&build->reader, operation, 1, &groups) ||
        !hy_read_i32(&build->reader, operation, 2, &value) ||
        !hy_resolve_axis(&build->reader, value, input->rank, &axis))
        return false;
    const uint32_t channels = input->dims[axis];
    if (xd_elements(input, axis + 1, input->rank) != 1)
        return hy_refuse(&build->reader, "axis %u is not the last of %u", axis, input->rank);
    if (groups < 1 || channels % (uint32_t)groups != 0)
        return hy_refuse(&build->reader, "%d groups do not divide %u channels", groups, channels);
    struct xd_tensor *output = xd_output_like(build, operation, input);
    if (!output || !xd_same_quantisation(build, input, output))
        return false;
    if (groups == 1 || (uint32_t)groups == channels) {
        xd_same_bytes(build, input, output);
        return true;
    }
    struct xd_node *node = xd_emit(build,
                                   XD_HAS(XD_F32, input) ? XD_KIND_channel_shuffle_nc_x32
                                                         : XD_KIND_channel_shuffle_nc_x8,
                                   input, output);
    if (!node)
        return false;
    node->groups = (uint32_t)groups;
    node->channels = node->input_stride = node->output_stride = channels;
    node->rows = xd_all_elements(input) / channels;
    return true;
}
