#include "libhalyard/preprocess/image_shape.h"

#include <inttypes.h>

static bool is_channels(int32_t extent)
{
    return extent == 1 || extent == 3 || extent == 4;
}

/* Dimensions `first` to first + 2 as rows, columns and channels in one order or the other. */
static bool find_channels(const struct hy_input_spec *spec, uint32_t first,
                          struct hy_image_shape *out)
{
    const int32_t *dims = spec->dims + first;
    const enum hy_image_layout layout = spec->image.layout;
    if (layout != HY_IMAGE_LAYOUT_NCHW && is_channels(dims[2])) {
        *out = (struct hy_image_shape){first, first + 1, (uint32_t)dims[2], false};
        return true;
    }
    if (layout != HY_IMAGE_LAYOUT_NHWC && is_channels(dims[0])) {
        *out = (struct hy_image_shape){first + 1, first + 2, (uint32_t)dims[0], true};
        return true;
    }
    return false;
}

static bool find(const struct hy_input_spec *spec, struct hy_image_shape *out)
{
    const uint32_t rank = spec->rank;
    if (rank == 2) {
        *out = (struct hy_image_shape){0, 1, 1, false};
        return true;
    }
    if (rank < 3)
        return false;
    for (uint32_t i = 0; i < rank - 3; i++)
        if (spec->dims[i] != 1 && spec->dims[i] >= 0) /* an open batch becomes 1 */
            return false;
    return find_channels(spec, rank - 3, out);
}

enum hy_code hy_image_shape_find(const struct hy_input_spec *spec, struct hy_image_shape *out,
                                 struct hy_error *err)
{
    static const char *const layouts[HY_IMAGE_LAYOUT_COUNT] = {"[1,H,W,C] or [1,C,H,W]",
                                                               "[1,H,W,C]", "[1,C,H,W]"};
    if ((unsigned)spec->image.layout >= HY_IMAGE_LAYOUT_COUNT)
        return hy_fail(err, HY_BAD_DATA, "layout %d does not exist", (int)spec->image.layout);
    if (find(spec, out) && spec->dims[out->height_at] != 0 && spec->dims[out->width_at] != 0)
        return HY_OK;

    char shape[96];
    hy_input_spec_text(spec, shape, sizeof shape);
    return hy_fail(err, HY_BAD_DATA,
                   "a picture cannot fill the input %s; the shape must be %s, with C 1, 3 or 4",
                   shape, layouts[spec->image.layout]);
}
