#ifndef HY_CPU_FALLBACK_KERNELS_NMS_H
#define HY_CPU_FALLBACK_KERNELS_NMS_H

#include <stddef.h>
#include <stdint.h>

#include "cpu_fallback/kernels/box.h"

/* A box that may be one of an object: what the detection operations sort and choose from. */
struct hy_detection {
    float score;
    uint32_t box; /* index into a list of boxes */
    uint32_t label;
};

/* Highest score first, NaN last; among equals by label, then by box. */
void hy_detections_sort_by_score(struct hy_detection *list, size_t count);

/* By label; highest score first within a label, then by box. */
void hy_detections_sort_by_label(struct hy_detection *list, size_t count);

/* The list becomes a heap, from which the best by score is taken; count - 1 remain then. */
void hy_detections_make_heap(struct hy_detection *list, size_t count);
struct hy_detection hy_detections_take_best(struct hy_detection *heap, size_t count);

/*
 * Non-maximum suppression: what happens to candidates that overlap a better one. HY_NMS_CUT
 * discards those that overlap it by the threshold or more. The others multiply their scores, and
 * discard what falls below score_threshold:
 *   HARD      by 0 where they do not overlap by less than the threshold
 *   LINEAR    by 1 - overlap there
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
    size_t limit; /* choose no more than this */
    float overlap_threshold, sigma, score_threshold;
};

/* Moves the chosen candidates to the front of the list, in the order they are chosen; the answer is
 * their number. Each time the first of the best is chosen; scores change on the way. */
size_t hy_nms_choose(const struct hy_nms *nms, const struct hy_box *boxes,
                     struct hy_detection *list, size_t count);

#endif
