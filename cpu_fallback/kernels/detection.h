#ifndef HY_CPU_FALLBACK_KERNELS_DETECTION_H
#define HY_CPU_FALLBACK_KERNELS_DETECTION_H

#include "common/inference/infer_detection.h"
#include "cpu_fallback/kernels/nms.h"
#include "cpu_fallback/kernels/types.h"

/*
 * The detection operations in float32: scalar, without fast forms. Lists that they fill have the
 * room that is said here.
 */

/**
 * BOX_WITH_NMS_LIMIT, NNAPI code 44: chooses boxes by class and score, image by image.
 *   scores  [regions, classes]
 *   boxes   [regions, classes]
 *   images  [regions]; the regions of an image stand together
 *   found   room for regions * (classes - 1); box is region * classes + class, label the class
 * Gives the number found, at most limit->most.
 */
size_t hy_box_with_nms_limit(const struct hy_box_limit *limit, const float *scores,
                             const struct hy_box *boxes, const int32_t *images,
                             struct hy_detection *found);

/**
 * GENERATE_PROPOSALS, NNAPI code 52, for one image: the best of the anchors, moved by their deltas.
 *   scores  [height, width, anchors]
 *   deltas  [height, width, anchors]
 *   boxes   room for height * width * anchors: all boxes
 *   found   the same room: the chosen ones
 */
size_t hy_generate_proposals(const struct hy_proposals *proposals,
                             const struct hy_image_extent *image, const struct hy_box *anchors,
                             const float *scores, const struct hy_box_delta *deltas,
                             struct hy_box *boxes, struct hy_detection *found);

/* What DETECTION_POSTPROCESSING works with. */
struct hy_postprocessing_lists {
    struct hy_detection *candidates; /* room for `anchors` */
    struct hy_detection *ranking;    /* room for `classes` */
    struct hy_detection *found;      /* room for hy_detection_postprocessing_room of them */
    struct hy_box *boxes;            /* the same room */
};

/* Rows of numbers, of which few are read: as they are stored, see hy_reals_load(). */
struct hy_stored_rows {
    const void *values;
    enum hy_element element;
    uint32_t element_size, length; /* bytes of an element, elements of a row */
    float scale;
    int32_t zero_point;
};

/**
 * DETECTION_POSTPROCESSING, NNAPI code 47, for one image. What is read may change meanwhile.
 *   scores   [anchors, classes]
 *   deltas   [anchors, delta_length] as (dy, dx, dh, dw, ...)
 *   anchors  [anchors, 4] as (y, x, h, w), y and x of the centre
 * Gives the number found, at most post->rows: in lists->found with the class as label, their boxes
 * in lists->boxes with y in the place of x, as they are given out.
 */
size_t hy_detection_postprocessing(const struct hy_postprocessing *post, const float *scores,
                                   const struct hy_stored_rows *deltas,
                                   const struct hy_stored_rows *anchors,
                                   const struct hy_postprocessing_lists *lists);

/* The most detections that suppression leaves over, with all their classes. */
uint64_t hy_detection_postprocessing_room(const struct hy_postprocessing *post);

/* HEATMAP_MAX_KEYPOINT, NNAPI code 56: the highest point of one heatmap. */
struct hy_heatmap {
    const float *values;
    size_t size;        /* rows, and columns */
    size_t row, column; /* steps from value to value */
    float epsilon;      /* of what is too flat to be refined */
};

struct hy_keypoint {
    float score, x, y;
};

/* Refined to parts of a pixel, in the coordinates of the box that the heatmap covers. */
struct hy_keypoint hy_heatmap_max_keypoint(const struct hy_heatmap *map, const struct hy_box *box);

#endif
