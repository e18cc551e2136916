#ifndef HY_CPU_FALLBACK_KERNELS_SUPPRESSION_H
#define HY_CPU_FALLBACK_KERNELS_SUPPRESSION_H

#include <stddef.h>
#include <stdint.h>

/*
 * NON_MAX_SUPPRESSION and SOFT_NON_MAX_SUPPRESSION of org.halyard.operations. A box is
 * [y, x, y, x], two opposite corners in any order.
 */
struct hy_suppression {
    size_t boxes, most; /* `most`: boxes that are selected at most */
    float iou_threshold, score_threshold;
    float sigma; /* 0: scores stay as they are */
};

/* A box that is not selected yet. */
struct hy_candidate {
    float score;
    uint32_t box;
    uint32_t compared; /* selected boxes that have lowered the score */
};

/* Writes the selected boxes in the order of their scores, and the scores, and returns how many they
 * are. `candidates` has room for all boxes. Boxes of NaN overlap nothing. */
size_t hy_suppress(const struct hy_suppression *suppression, const float *boxes,
                   const float *scores, struct hy_candidate *candidates, int32_t *selected,
                   float *selected_scores);

#endif
