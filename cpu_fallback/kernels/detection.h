#ifndef HY_CPU_FALLBACK_KERNELS_DETECTION_H
#define HY_CPU_FALLBACK_KERNELS_DETECTION_H

#include "common/inference/infer_detection.h"
#include "cpu_fallback/kernels/nms.h"
#include "cpu_fallback/kernels/types.h"

/*
 * The detection operations in float32: scalar, without fast forms. The caller allocates the lists
 * with the capacities given below.
 */

/**
 * BOX_WITH_NMS_LIMIT, NNAPI code 44: chooses boxes by class and score, image by image.
 *   scores  [regions, classes]
 *   boxes   [regions, classes]
 *   images  [regions]; the regions of an image are adjacent
 *   found   capacity regions * (classes - 1); box is region * classes + class, label the class
 * Returns the number of boxes found, at most limit->most.
 */
size_t hy_box_with_nms_limit(const struct hy_box_limit *limit, const float *scores,
                             const struct hy_box *boxes, const int32_t *images,
                             struct hy_detection *found);

/**
 * GENERATE_PROPOSALS, NNAPI code 52, for one image: the best of the anchors, moved by their deltas.
 *   scores  [height, width, anchors]
 *   deltas  [height, width, anchors]
 *   boxes   capacity height * width * anchors: all boxes
 *   found   capacity height * width * anchors: the chosen boxes
 */
size_t hy_generate_proposals(const struct hy_proposals *proposals,
                             const struct hy_image_extent *image, const struct hy_box *anchors,
                             const float *scores, const struct hy_box_delta *deltas,
                             struct hy_box *boxes, struct hy_detection *found);

/* The work lists of DETECTION_POSTPROCESSING. */
struct hy_postprocessing_lists {
    struct hy_detection *candidates; /* capacity `anchors` */
    struct hy_detection *ranking;    /* capacity `classes` */
    struct hy_detection *found;      /* capacity hy_detection_postprocessing_capacity() */
    struct hy_box *boxes;            /* capacity hy_detection_postprocessing_capacity() */
};

/* Rows of stored numbers, of which few are read. hy_to_float_load() converts a row. */
struct hy_stored_rows {
    const void *values;
    enum hy_element element;
    uint32_t element_size, length; /* bytes of an element, elements of a row */
    float scale;
    int32_t zero_point;
};

/**
 * DETECTION_POSTPROCESSING, NNAPI code 47, for one image. Other threads may change the input
 * tensors meanwhile.
 *   scores   [anchors, classes]
 *   deltas   [anchors, delta_length] as (dy, dx, dh, dw, ...)
 *   anchors  [anchors, 4] as (y, x, h, w), y and x of the centre
 * Returns the number of detections found, at most post->rows. lists->found holds the detections
 * with the class as label. lists->boxes holds their boxes in the order of the output tensor: y is
 * stored in the x fields, and x in the y fields.
 */
size_t hy_detection_postprocessing(const struct hy_postprocessing *post, const float *scores,
                                   const struct hy_stored_rows *deltas,
                                   const struct hy_stored_rows *anchors,
                                   const struct hy_postprocessing_lists *lists);

/* The largest number of detections after suppression, over all classes. */
uint64_t hy_detection_postprocessing_capacity(const struct hy_postprocessing *post);

/* HEATMAP_MAX_KEYPOINT, NNAPI code 56: the highest point of one heatmap. */
struct hy_heatmap {
    const float *values;
    size_t size;        /* rows, and columns */
    size_t row, column; /* distance between neighbouring values */
    float epsilon;      /* bound of the determinant below which a peak is too flat to refine */
};

struct hy_keypoint {
    float score, x, y;
};

/* Returns the peak, refined to parts of a pixel, in the coordinates of the box under the
 * heatmap. */
struct hy_keypoint hy_heatmap_max_keypoint(const struct hy_heatmap *map, const struct hy_box *box);

#endif
