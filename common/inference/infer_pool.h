#ifndef HY_COMMON_INFERENCE_INFER_POOL_H
#define HY_COMMON_INFERENCE_INFER_POOL_H

#include "common/call.h"
#include "common/image/image.h"
#include "common/operations/geometry.h"

/* AVERAGE_POOL_2D and the other pools in both forms, decoded and checked. `out` and `in` have the
 * same channels. */
struct hy_pool_2d {
    struct hy_image_size in, out;
    struct hy_window rows;    /* along the height */
    struct hy_window columns; /* along the width */
    int32_t activation;
    bool nchw;
};

HY_MUST_CHECK enum hy_code hy_pool_2d_read(const struct hy_call *call, struct hy_pool_2d *pool,
                                           struct hy_error *err);

/* MAX_UNPOOL_2D: pixel (y, x) of `in` was chosen from the window of `out` at (y * stride - head, x
 * * stride - head). */
HY_MUST_CHECK enum hy_code hy_unpool_2d_read(const struct hy_call *call, struct hy_pool_2d *pool,
                                             struct hy_error *err);

#endif
