#ifndef HY_COMMON_INFERENCE_INFER_RESIZE_H
#define HY_COMMON_INFERENCE_INFER_RESIZE_H

#include "common/call.h"
#include "common/image/image.h"

struct hy_resize {
    struct hy_image_size in, out;
    bool nchw;
    bool align_corners;
    bool half_pixel_centers;
};

/* RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR, decoded and checked: by size or by factors. */
HY_MUST_CHECK enum hy_code hy_resize_read(const struct hy_call *call, struct hy_resize *resize,
                                          struct hy_error *err);

#endif
