#include "common/inference/infer_resize.h"
#include "common/inference/infer_rules.h"

#include <android/NeuralNetworksTypes.h>

/* Limit of pixels along a side, so that positions in the input are exact floats. */
#define MOST_PIXELS (1u << 24)

/* Input `index` as the new size of `in` pixels: the number itself, or a factor. */
static enum hy_code read_size(const struct hy_call *call, uint32_t index, uint32_t in,
                              uint32_t *out, struct hy_error *err)
{
    float factor;
    enum hy_code code;

    if (hy_call_input(call, index)->type == ANEURALNETWORKS_INT32) {
        code = hy_call_size(call, index, 1, out, err);
        if (code == HY_OK && *out > MOST_PIXELS)
            code = hy_fail(err, HY_FAILED, "input %u resizes to %u pixels, at most %u", index, *out,
                           MOST_PIXELS);
        return code;
    }
    code = hy_call_float(call, index, &factor, err);
    if (code != HY_OK)
        return code;
    float size = (float)in * factor;
    if (!(size >= 1) || !(size <= MOST_PIXELS)) /* also NaN */
        return hy_fail(err, HY_FAILED, "input %u resizes %u pixels by %g", index, in,
                       (double)factor);
    *out = (uint32_t)size;
    return HY_OK;
}

static enum hy_code read_flags(const struct hy_call *call, struct hy_resize *resize,
                               struct hy_error *err)
{
    bool *const flags[] = {&resize->nchw, &resize->align_corners, &resize->half_pixel_centers};
    enum hy_code code = HY_OK;

    for (uint32_t i = 3; i < call->input_count && i < 6 && code == HY_OK; i++)
        code = hy_call_bool(call, i, flags[i - 3], err);
    if (code == HY_OK && resize->align_corners && resize->half_pixel_centers)
        code = hy_fail(err, HY_FAILED, "corners cannot be aligned with half pixel centers");
    return code;
}

enum hy_code hy_resize_read(const struct hy_call *call, struct hy_resize *resize,
                            struct hy_error *err)
{
    struct hy_resize read = {0};

    enum hy_code code = hy_call_check_rank(call, 0, 4, 4, err);
    if (code == HY_OK)
        code = read_flags(call, &read, err);
    if (code != HY_OK)
        return code;
    read.in = read.out = hy_image_size_of(&hy_call_input(call, 0)->shape, read.nchw);
    if (read.in.height == 0 || read.in.width == 0 || read.in.channels == 0)
        return hy_fail(err, HY_FAILED, "input 0 has images of %u x %u pixels with %u channels",
                       read.in.height, read.in.width, read.in.channels);
    code = read_size(call, 1, read.in.width, &read.out.width, err);
    if (code == HY_OK)
        code = read_size(call, 2, read.in.height, &read.out.height, err);
    if (code == HY_OK)
        *resize = read;
    return code;
}

enum hy_code hy_infer_resize(const struct hy_call *call, struct hy_shape *outputs,
                             struct hy_error *err)
{
    struct hy_resize resize;
    enum hy_code code = hy_resize_read(call, &resize, err);

    if (code == HY_OK)
        outputs[0] = hy_image_shape(&resize.out, resize.nchw);
    return code;
}
