#ifndef HY_COMMON_INFERENCE_INFER_TRANSFORM_H
#define HY_COMMON_INFERENCE_INFER_TRANSFORM_H

#include "common/call.h"
#include "common/image/image.h"

/* Affine transformations of images and landmarks by a 4 by 4 matrix; decoded and checked. */
struct hy_transform_tensor {
    struct hy_image_size in, out;
    bool half_pixel_centers;
};

struct hy_landmarks_matrix {
    uint32_t landmarks, subset; /* counts */
    const int32_t *indices;     /* of the subset */
    int32_t left, right;
    float rotation;
    uint32_t width, height;
    float scale_x, scale_y;
};

struct hy_transform_landmarks {
    uint32_t dimensions; /* coordinates per landmark: 2 or 3 */
    uint32_t landmarks;
    float scale; /* for the translation of the matrix */
};

HY_MUST_CHECK enum hy_code hy_transform_tensor_read(const struct hy_call *call,
                                                    struct hy_transform_tensor *transform,
                                                    struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_landmarks_matrix_read(const struct hy_call *call,
                                                    struct hy_landmarks_matrix *matrix,
                                                    struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_transform_landmarks_read(const struct hy_call *call,
                                                       struct hy_transform_landmarks *transform,
                                                       struct hy_error *err);

#endif
