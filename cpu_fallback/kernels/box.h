#ifndef HY_CPU_FALLBACK_KERNELS_BOX_H
#define HY_CPU_FALLBACK_KERNELS_BOX_H

/* Boxes in an image: corners, as tensors of shape [..., 4] hold them. */
struct hy_box {
    float x1, y1, x2, y2;
};

/* How a box is moved, in its own size, and stretched, as a logarithm. */
struct hy_box_delta {
    float dx, dy, dw, dh;
};

struct hy_image_extent {
    float height, width;
};

/* False for corners in the wrong order, and for NaN. */
static inline int hy_box_is_ordered(const struct hy_box *box)
{
    return box->x1 <= box->x2 && box->y1 <= box->y2;
}

/* The box that `delta` makes of `box`, cut off at the borders of the image. */
struct hy_box hy_box_transform(const struct hy_box *box, const struct hy_box_delta *delta,
                               const struct hy_image_extent *image);

/* Intersection over union; NaN for two empty boxes. */
float hy_box_overlap(const struct hy_box *a, const struct hy_box *b);

#endif
