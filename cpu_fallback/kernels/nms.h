#ifndef HY_CPU_FALLBACK_KERNELS_NMS_H
#define HY_CPU_FALLBACK_KERNELS_NMS_H

#include <stddef.h>
#include <stdint.h>

#include "cpu_fallback/kernels/box.h"

/* A candidate box with its score and class, the element type of lists of the detection
 * operations. */
struct hy_detection {
    float score;
    uint32_t box; /* index into a list of boxes */
    uint32_t label;
};

/* Highest score first, NaN last; among equals by label, then by box. */
void hy_detections_sort_by_score(struct hy_detection *list, size_t count);

/* By label; within a label highest score first, then by box. */
void hy_detections_sort_by_label(struct hy_detection *list, size_t count);

/* hy_detections_make_heap() makes the list a heap. hy_detections_pop_best() removes and returns
 * the detection of the best score; the first count - 1 elements remain a heap. */
void hy_detections_make_heap(struct hy_detection *list, size_t count);
struct hy_detection hy_detections_pop_best(struct hy_detection *heap, size_t count);

/*
 * Non-maximum suppression: the effect of a chosen box on candidates that overlap it. HY_NMS_CUT
 * discards candidates that overlap by the threshold or more. The other kinds multiply the scores of
 * candidates, and discard candidates below score_threshold:
 *   HARD      by 0 if the overlap is not below the threshold
 *   LINEAR    by 1 - overlap if the overlap is not below the threshold
 *   GAUSSIAN  by exp(-overlap^2 / sigma)
 */
enum hy_nms_kernel {
    HY_NMS_HARD,
    HY_NMS_LINEAR,
    HY_NMS_GAUSSIAN,
    HY_NMS_CUT,
};

struct hy_nms {
    enum hy_nms_kernel kernel;
    size_t limit; /* largest number of chosen boxes */
    float overlap_threshold, sigma, score_threshold;
};

/* Moves the chosen candidates to the front of the list, in the order of choice, and returns
 * their number. Of several candidates with the best score the first is chosen. Scores in the
 * list change. */
size_t hy_nms_choose(const struct hy_nms *nms, const struct hy_box *boxes,
                     struct hy_detection *list, size_t count);

#endif
