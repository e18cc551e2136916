#ifndef HY_CPU_FALLBACK_KERNELS_SUPPRESSION_H
#define HY_CPU_FALLBACK_KERNELS_SUPPRESSION_H

#include <stddef.h>
#include <stdint.h>

/*
 * NON_MAX_SUPPRESSION and SOFT_NON_MAX_SUPPRESSION of org.halyard.operations. A box is
 * [y, x, y, x], two opposite corners in any order.
 */
struct hy_suppression {
    size_t boxes, most; /* `most`: the largest number of selected boxes */
    float iou_threshold, score_threshold;
    float sigma; /* 0: scores stay as they are */
};

/* A box that is not yet selected. */
struct hy_candidate {
    float score;
    uint32_t box;
    uint32_t compared; /* selected boxes that have lowered the score */
};

/* Writes the selected boxes and their scores, best score first, and returns their number.
 * `candidates` has capacity for all boxes. Boxes with NaN corners overlap nothing. */
size_t hy_suppress(const struct hy_suppression *suppression, const float *boxes,
                   const float *scores, struct hy_candidate *candidates, int32_t *selected,
                   float *selected_scores);

#endif
