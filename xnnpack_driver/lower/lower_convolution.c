/*
 * CONV_2D, DEPTHWISE_CONV_2D and GROUPED_CONV_2D: one operator of XNNPACK, which takes filters as
 * NNAPI has them ([out, h, w, in of the group]; depthwise [1, h, w, out] by a flag).
 */
#include "lowerings.h"

#include "weighted.h"
#include "window.h"
#include "xnnpack_driver/emit.h"
#include "xnnpack_driver/range.h"

/* Where the scalars of a form stand. */
struct form {
    bool implicit;
    uint32_t groups; /* 0: there is no such operand */
    uint32_t activation, layout, dilation;
};

static bool is_bool(const struct xd_build *build, const struct hy_operation *operation,
                    uint32_t position)
{
    const struct hy_subgraph *graph = build->reader.model->main;
    const uint32_t index = operation->inputs[position];
    return index < graph->operand_count && graph->operands[index].type == ANEURALNETWORKS_BOOL;
}

/* Implicit padding takes one operand, explicit padding four. Where one count of operands fits both
 * forms, the layout flag tells them apart. */
static bool is_implicit(const struct xd_build *build, const struct hy_operation *operation,
                        uint32_t shortest)
{
    const uint32_t count = operation->input_count;
    return count < shortest + 3 || (count == shortest + 3 && is_bool(build, operation, shortest));
}

static bool read_window(struct xd_build *build, const struct hy_operation *operation,
                        struct form *form, struct hy_window *window)
{
    const bool is_plain = operation->type == ANEURALNETWORKS_CONV_2D;
    const bool is_grouped = operation->type == ANEURALNETWORKS_GROUPED_CONV_2D;
    uint32_t position = 3;
    form->implicit =
        is_grouped ? operation->input_count == 9 : is_implicit(build, operation, is_plain ? 7 : 8);
    if (!hy_window_read(&build->reader, operation, form->implicit, &position, window))
        return false;
    form->groups = is_plain ? 0 : position++;
    form->activation = position;
    form->layout = position + 1;
    form->dilation = position + 2;
    if (form->dilation >= operation->input_count)
        return true;
    if (form->dilation + 2 != operation->input_count)
        return hy_refuse(&build->reader, "%u inputs", operation->input_count);
    return hy_window_read_pair(&build->reader, operation, form->dilation, &window->width.dilation,
                               &window->height.dilation);
}

/* Groups, and channels of each. */
static bool read_groups(struct xd_build *build, const struct hy_operation *operation,
                        const struct form *form, const struct xd_weighted *w,
                        struct xd_plane *plane)
{
    const bool is_depthwise = operation->type == ANEURALNETWORKS_DEPTHWISE_CONV_2D;
    const uint32_t channels = w->input->dims[3];
    const uint32_t units = w->weights->dims[is_depthwise ? 3 : 0];
    int32_t value = 1;
    if (form->groups && !hy_read_i32(&build->reader, operation, form->groups, &value))
        return false;
    if (value < 1)
        return hy_refuse(&build->reader, "input %u is %d, needs at least 1", form->groups, value);

    plane->groups = is_depthwise ? channels : (uint32_t)value;
    plane->group_inputs = channels / plane->groups;
    plane->group_outputs = units / plane->groups;
    const bool fits =
        is_depthwise ? w->weights->dims[0] == 1 && units == (uint64_t)channels * (uint32_t)value
                     : plane->group_inputs == w->weights->dims[3];
    if (!fits || plane->group_inputs * plane->groups != channels ||
        plane->group_outputs * plane->groups != units)
        return hy_refuse(&build->reader,
                         "%u channels, weights [%u, %u, %u, %u] and %d groups do not fit together",
                         channels, w->weights->dims[0], w->weights->dims[1], w->weights->dims[2],
                         w->weights->dims[3], value);
    return true;
}

static bool emit(struct xd_build *build, const struct hy_operation *operation,
                 const struct xd_weighted *w, const struct xd_plane *plane,
                 struct xd_tensor *output, const struct hy_value_range *range)
{
    enum xd_kind kind =
        xd_weighted_kind(w, XD_KIND_convolution2d_nhwc_f32, XD_KIND_convolution2d_nhwc_qu8,
                         XD_HAS(XD_QC8, w->weights) ? XD_KIND_convolution2d_nhwc_qc8
                                                    : XD_KIND_convolution2d_nhwc_qs8);
    struct xd_node *node = xd_emit(build, kind, w->input, output);
    if (!node)
        return false;
    node->plane = *plane;
    node->rows = w->input->dims[0];
    node->input_stride = w->input->dims[3];
    node->range = *range;
    node->flags =
        operation->type == ANEURALNETWORKS_DEPTHWISE_CONV_2D ? XNN_FLAG_DEPTHWISE_CONVOLUTION : 0;
    node->work =
        xd_all_elements(output) * plane->filter_height * plane->filter_width * plane->group_inputs;
    return xd_weighted_fill(build, operation, w, node);
}

bool xd_lower_convolution(struct xd_build *build, const struct hy_operation *operation)
{
    const bool is_depthwise = operation->type == ANEURALNETWORKS_DEPTHWISE_CONV_2D;
    struct xd_weighted w;
    struct hy_window window;
    struct form form;
    if (!xd_weighted_read(build, operation, 4, is_depthwise ? 3 : 0, &w))
        return false;
    if (w.input->rank != 4)
        return hy_refuse(&build->reader, "input 0 has rank %u, needs 4", w.input->rank);
    if (!read_window(build, operation, &form, &window) ||
        !hy_check_nhwc(&build->reader, operation, form.layout))
        return false;

    window.height.size = w.input->dims[1];
    window.width.size = w.input->dims[2];
    window.height.filter = w.weights->dims[1];
    window.width.filter = w.weights->dims[2];
    if (!hy_window_solve(&build->reader, &window) || !xd_window_fits(build, &window))
        return false;
    struct xd_plane plane = xd_window_plane(&window);
    if (!read_groups(build, operation, &form, &w, &plane))
        return false;

    const uint32_t dims[] = {w.input->dims[0], (uint32_t)window.height.out,
                             (uint32_t)window.width.out,
                             (uint32_t)(plane.groups * plane.group_outputs)};
    struct xd_tensor *output = xd_output(build, operation, 0, w.input->type, 4, dims);
    struct hy_value_range range;
    return output && xd_activation(build, operation, form.activation, output, &range) &&
           xd_weighted_fits(build, operation, &w, output) &&
           emit(build, operation, &w, &plane, output, &range);
}
