#include "common/inference/infer_transform.h"
#include "common/inference/infer_rules.h"

#include <math.h>

/* ---- Images ---------------------------------------------------------------------------------- */

static enum hy_code check_matrix(const struct hy_call *call, struct hy_error *err)
{
    const struct hy_shape *matrix = &hy_call_input(call, 1)->shape;
    const enum hy_code code = hy_call_check_rank(call, 1, 1, HY_MAX_RANK, err);

    if (code != HY_OK)
        return code;
    if (hy_shape_span(matrix, 0, matrix->rank) != 16)
        return hy_fail(err, HY_FAILED, "input 1 is not a matrix of 4 by 4");
    return HY_OK;
}

enum hy_code hy_transform_tensor_read(const struct hy_call *call,
                                      struct hy_transform_tensor *transform, struct hy_error *err)
{
    struct hy_transform_tensor read;

    enum hy_code code = hy_call_check_filled(call, 0, 4, 4, err);
    if (code == HY_OK)
        code = check_matrix(call, err);
    if (code != HY_OK)
        return code;
    read.in = read.out = hy_image_size_of(&hy_call_input(call, 0)->shape, false);
    code = hy_call_size(call, 2, 1, &read.out.width, err);
    if (code == HY_OK)
        code = hy_call_size(call, 3, 1, &read.out.height, err);
    if (code == HY_OK)
        code = hy_call_bool(call, 4, &read.half_pixel_centers, err);
    if (code == HY_OK)
        *transform = read;
    return code;
}

enum hy_code hy_infer_transform_tensor_bilinear(const struct hy_call *call,
                                                struct hy_shape *outputs, struct hy_error *err)
{
    struct hy_transform_tensor transform;
    const enum hy_code code = hy_transform_tensor_read(call, &transform, err);

    if (code == HY_OK)
        outputs[0] = hy_image_shape(&transform.out, false);
    return code;
}

/* ---- Landmarks ------------------------------------------------------------------------------- */

static enum hy_code check_index(int32_t index, uint32_t landmarks, struct hy_error *err)
{
    if (index >= 0 && (uint32_t)index < landmarks)
        return HY_OK;
    return hy_fail(err, HY_FAILED, "landmark %d does not exist, the input has %u", index,
                   landmarks);
}

static enum hy_code read_subset(const struct hy_call *call, struct hy_landmarks_matrix *matrix,
                                struct hy_error *err)
{
    const struct hy_value *subset = hy_call_input(call, 1);
    enum hy_code code = hy_call_check_filled(call, 1, 1, 1, err);

    if (code == HY_OK && !subset->data)
        code = hy_fail(err, HY_FAILED, "the value of input 1 is not known");
    if (code != HY_OK)
        return code;
    matrix->indices = subset->data;
    matrix->subset = subset->shape.dims[0];
    for (uint32_t i = 0; i < matrix->subset && code == HY_OK; i++)
        code = check_index(matrix->indices[i], matrix->landmarks, err);
    return code;
}

static enum hy_code read_scale(const struct hy_call *call, uint32_t index, float *scale,
                               struct hy_error *err)
{
    const enum hy_code code = hy_call_float(call, index, scale, err);

    if (code == HY_OK && !isfinite(*scale))
        return hy_fail(err, HY_FAILED, "input %u is not finite", index);
    return code;
}

enum hy_code hy_landmarks_matrix_read(const struct hy_call *call,
                                      struct hy_landmarks_matrix *matrix, struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    struct hy_landmarks_matrix read;

    enum hy_code code = hy_call_check_filled(call, 0, 1, HY_MAX_RANK, err);
    if (code != HY_OK)
        return code;
    const uint64_t landmarks = hy_shape_span(in, 0, in->rank - 1);
    if (in->dims[in->rank - 1] != 3 || landmarks > INT32_MAX)
        return hy_fail(err, HY_FAILED, "landmarks have %u numbers, need 3", in->dims[in->rank - 1]);
    read.landmarks = (uint32_t)landmarks;
    code = read_subset(call, &read, err);
    if (code == HY_OK)
        code = hy_call_int(call, 2, &read.left, err);
    if (code == HY_OK)
        code = check_index(read.left, read.landmarks, err);
    if (code == HY_OK)
        code = hy_call_int(call, 3, &read.right, err);
    if (code == HY_OK)
        code = check_index(read.right, read.landmarks, err);
    if (code == HY_OK)
        code = read_scale(call, 4, &read.rotation, err);
    if (code == HY_OK)
        code = hy_call_size(call, 5, 1, &read.width, err);
    if (code == HY_OK)
        code = hy_call_size(call, 6, 1, &read.height, err);
    if (code == HY_OK)
        code = read_scale(call, 7, &read.scale_x, err);
    if (code == HY_OK)
        code = read_scale(call, 8, &read.scale_y, err);
    if (code == HY_OK)
        *matrix = read;
    return code;
}

enum hy_code hy_infer_landmarks_to_transform_matrix(const struct hy_call *call,
                                                    struct hy_shape *outputs, struct hy_error *err)
{
    struct hy_landmarks_matrix matrix;
    const enum hy_code code = hy_landmarks_matrix_read(call, &matrix, err);

    if (code == HY_OK)
        outputs[0] = (struct hy_shape){3, {1, 4, 4}};
    return code;
}

enum hy_code hy_transform_landmarks_read(const struct hy_call *call,
                                         struct hy_transform_landmarks *transform,
                                         struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    struct hy_transform_landmarks read;

    enum hy_code code = hy_call_check_rank(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = check_matrix(call, err);
    if (code == HY_OK)
        code = hy_call_size(call, 2, 2, &read.dimensions, err);
    if (code == HY_OK)
        code = read_scale(call, 3, &read.scale, err);
    if (code != HY_OK)
        return code;
    if (read.dimensions > 3 || in->dims[in->rank - 1] % read.dimensions != 0)
        return hy_fail(err, HY_FAILED, "%u numbers are not landmarks of %u numbers each",
                       in->dims[in->rank - 1], read.dimensions);
    const uint64_t landmarks = hy_shape_span(in, 0, in->rank) / read.dimensions;
    if (landmarks > INT32_MAX)
        return hy_fail(err, HY_FAILED, "%llu landmarks are too many",
                       (unsigned long long)landmarks);
    read.landmarks = (uint32_t)landmarks;
    *transform = read;
    return HY_OK;
}

enum hy_code hy_infer_transform_landmarks(const struct hy_call *call, struct hy_shape *outputs,
                                          struct hy_error *err)
{
    struct hy_transform_landmarks transform;
    const enum hy_code code = hy_transform_landmarks_read(call, &transform, err);

    if (code == HY_OK)
        outputs[0] = hy_call_input(call, 0)->shape;
    return code;
}
