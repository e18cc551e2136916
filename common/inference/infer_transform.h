#ifndef HY_COMMON_INFERENCE_INFER_TRANSFORM_H
#define HY_COMMON_INFERENCE_INFER_TRANSFORM_H

#include "common/call.h"
#include "common/image/image.h"

/* Images and landmarks that a matrix of 4 by 4 turns, moves and scales; decoded and checked. */
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
    uint32_t dimensions; /* numbers of a landmark: 2 or 3 */
    uint32_t landmarks;
    float scale; /* of the matrix's translation */
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
