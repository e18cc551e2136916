#include "common/operations/operation.h"
#include "libhalyard/lower/families.h"

/* Landmarks, and images transformed by a matrix of 4 by 4, with operations of
 * org.halyard.operations. */

/* Landmarks of x, y and z. */
static uint64_t landmark_count(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *landmarks = hy_input(lowering, 0);
    uint64_t elements = 0;

    hy_expect(lowering, landmarks->rank > 0 && landmarks->extents[landmarks->rank - 1] == 3,
              "landmarks of other than three numbers");
    hy_expect(lowering, hy_graph_tensor_elements(landmarks, &elements),
              "the shape of the landmarks");
    return elements / 3;
}

static void expect_landmark(struct hy_lowering *lowering, int32_t landmark, uint64_t count,
                            const char *what)
{
    if (lowering->code == HY_OK && (landmark < 0 || (uint64_t)landmark >= count))
        lowering->code =
            hy_fail(lowering->err, HY_BAD_DATA, "%s is landmark %d, the input has %llu", what,
                    landmark, (unsigned long long)count);
}

void hy_lower_landmarks_to_transform_matrix(struct hy_lowering *lowering)
{
    const struct hy_attributes_landmarks_matrix *attributes =
        &lowering->node->attributes.landmarks_matrix;
    const uint64_t count = landmark_count(lowering);

    hy_expect(lowering, attributes->count > 0, "a box around no landmarks");
    for (uint32_t i = 0; i < attributes->count; i++)
        expect_landmark(lowering, attributes->subset[i], count, "an element of subset_idxs");
    expect_landmark(lowering, attributes->left, count, "left_rotation_idx");
    expect_landmark(lowering, attributes->right, count, "right_rotation_idx");
    hy_push_input(lowering, 0);
    hy_push_ints(lowering, attributes->subset, attributes->count);
    hy_push_int(lowering, attributes->left);
    hy_push_int(lowering, attributes->right);
    hy_push_float(lowering, attributes->rotation);
    hy_push_int(lowering, attributes->width);
    hy_push_int(lowering, attributes->height);
    hy_push_float(lowering, attributes->scale_x);
    hy_push_float(lowering, attributes->scale_y);
    hy_emit(lowering, HY_EXT_LANDMARKS_TO_TRANSFORM_MATRIX);
}

void hy_lower_transform_landmarks(struct hy_lowering *lowering)
{
    const struct hy_attributes_transform_landmarks *attributes =
        &lowering->node->attributes.transform_landmarks;
    const struct hy_graph_tensor *landmarks = hy_input(lowering, 0);
    const int32_t last = landmarks->rank > 0 ? landmarks->extents[landmarks->rank - 1] : 0;
    const int32_t dimensions = attributes->dimensions ? attributes->dimensions : last;

    hy_expect(lowering, dimensions == 2 || dimensions == 3,
              "landmarks of other than two or three numbers");
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_int(lowering, dimensions);
    hy_push_float(lowering, attributes->scale);
    hy_emit(lowering, HY_EXT_TRANSFORM_LANDMARKS);
}

void hy_lower_transform_tensor_bilinear(struct hy_lowering *lowering)
{
    const struct hy_attributes_transform_tensor *attributes =
        &lowering->node->attributes.transform_tensor;

    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_int(lowering, attributes->width);
    hy_push_int(lowering, attributes->height);
    hy_push_bool(lowering, attributes->half_pixel_centers);
    hy_emit(lowering, HY_EXT_TRANSFORM_TENSOR_BILINEAR);
}
