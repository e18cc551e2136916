#ifndef HY_CPU_FALLBACK_KERNELS_BOX_H
#define HY_CPU_FALLBACK_KERNELS_BOX_H

/* The corners of a box in an image. Tensors of shape [..., 4] hold boxes in this layout. */
struct hy_box {
    float x1, y1, x2, y2;
};

/* A shift in multiples of the box size (dx, dy), and the logarithms of two stretch factors (dw,
 * dh). */
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

/* Applies `delta` to `box` and clips the result to the image. */
struct hy_box hy_box_transform(const struct hy_box *box, const struct hy_box_delta *delta,
                               const struct hy_image_extent *image);

/* Intersection over union; NaN for two empty boxes. */
float hy_box_overlap(const struct hy_box *a, const struct hy_box *b);

#endif
