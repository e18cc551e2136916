#ifndef HY_COMMON_IMAGE_IMAGE_H
#define HY_COMMON_IMAGE_IMAGE_H

#include "common/operations/shape.h"

/* A batch of images, independent of the order of its dimensions: NHWC or NCHW. */
struct hy_image_size {
    uint32_t batch, height, width, channels;
};

/* The shape must have rank 4. */
static inline struct hy_image_size hy_image_size_of(const struct hy_shape *shape, bool nchw)
{
    const uint32_t *d = shape->dims;

    if (nchw)
        return (struct hy_image_size){d[0], d[2], d[3], d[1]};
    return (struct hy_image_size){d[0], d[1], d[2], d[3]};
}

static inline struct hy_shape hy_image_shape(const struct hy_image_size *size, bool nchw)
{
    if (nchw)
        return (struct hy_shape){4, {size->batch, size->channels, size->height, size->width}};
    return (struct hy_shape){4, {size->batch, size->height, size->width, size->channels}};
}

#endif
