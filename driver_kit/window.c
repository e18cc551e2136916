#include "driver_kit/window.h"

#include <android/NeuralNetworks.h>

static bool read_sizes(struct hy_model_reader *reader, const struct hy_operation *operation,
                       uint32_t position, int64_t *const *sizes, uint32_t count, int32_t least)
{
    for (uint32_t i = 0; i < count; i++) {
        int32_t value = 0;
        if (!hy_read_i32(reader, operation, position + i, &value))
            return false;
        if (value < least)
            return hy_refuse(reader, "input %u is %d, needs at least %d", position + i, value,
                             least);
        *sizes[i] = value;
    }
    return true;
}

bool hy_window_read_pair(struct hy_model_reader *reader, const struct hy_operation *operation,
                         uint32_t position, int64_t *width, int64_t *height)
{
    int64_t *const sizes[] = {width, height};
    return read_sizes(reader, operation, position, sizes, 2, 1);
}

static bool read_scheme(struct hy_model_reader *reader, const struct hy_operation *operation,
                        uint32_t position, struct hy_window *window)
{
    if (!hy_read_i32(reader, operation, position, &window->scheme))
        return false;
    if (window->scheme == ANEURALNETWORKS_PADDING_SAME ||
        window->scheme == ANEURALNETWORKS_PADDING_VALID)
        return true;
    return hy_refuse(reader, "the padding scheme is %d, needs 1 or 2", window->scheme);
}

bool hy_window_read(struct hy_model_reader *reader, const struct hy_operation *operation,
                    bool implicit, uint32_t *position, struct hy_window *window)
{
    int64_t *const pads[] = {&window->width.head, &window->width.tail, &window->height.head,
                             &window->height.tail};
    window->scheme = 0;
    if (implicit ? !read_scheme(reader, operation, *position, window)
                 : !read_sizes(reader, operation, *position, pads, 4, 0))
        return false;
    *position += implicit ? 1 : 4;
    if (!hy_window_read_pair(reader, operation, *position, &window->width.stride,
                             &window->height.stride))
        return false;
    *position += 2;
    window->height.dilation = window->width.dilation = 1;
    return true;
}

static bool solve(struct hy_model_reader *reader, struct hy_window_side *side, int32_t scheme)
{
    const int64_t reach = (side->filter - 1) * side->dilation + 1;
    if (scheme == ANEURALNETWORKS_PADDING_SAME) {
        const int64_t out = (side->size + side->stride - 1) / side->stride;
        const int64_t total = (out - 1) * side->stride + reach - side->size;
        side->head = total > 0 ? total / 2 : 0;
        side->tail = total > 0 ? total - total / 2 : 0;
    } else if (scheme == ANEURALNETWORKS_PADDING_VALID) {
        side->head = side->tail = 0;
    }
    const int64_t capacity = side->size + side->head + side->tail - reach;
    if (side->head >= reach || side->tail >= reach || capacity < 0)
        return hy_refuse(
            reader, "pads %lld and %lld, a filter span of %lld and size %lld do not fit",
            (long long)side->head, (long long)side->tail, (long long)reach, (long long)side->size);
    side->out = capacity / side->stride + 1;
    return true;
}

bool hy_window_solve(struct hy_model_reader *reader, struct hy_window *window)
{
    return solve(reader, &window->height, window->scheme) &&
           solve(reader, &window->width, window->scheme);
}

bool hy_window_read_pool(struct hy_model_reader *reader, const struct hy_operation *operation,
                         const uint32_t *dims, struct hy_window *window, uint32_t *activation)
{
    uint32_t position = 1;
    if (!hy_window_read(reader, operation, operation->input_count <= 8, &position, window) ||
        !hy_window_read_pair(reader, operation, position, &window->width.filter,
                             &window->height.filter) ||
        !hy_check_nhwc(reader, operation, position + 3))
        return false;
    *activation = position + 2;
    window->height.size = dims[1];
    window->width.size = dims[2];
    return hy_window_solve(reader, window);
}
