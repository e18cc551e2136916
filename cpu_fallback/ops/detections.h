#ifndef HY_CPU_FALLBACK_OPS_DETECTIONS_H
#define HY_CPU_FALLBACK_OPS_DETECTIONS_H

#include "cpu_fallback/kernels/nms.h"
#include "cpu_fallback/program/op.h"

/* Helpers of operations with scores as output 0 and boxes as output 1. */

/* Reserve scratch for `count` detections or boxes. False: overflow. */
bool hy_cpu_detections_alloc(size_t *total, uint64_t count, size_t *offset);
bool hy_cpu_boxes_alloc(size_t *total, uint64_t count, size_t *offset);

/* Sets the first extent of every output. */
void hy_cpu_detections_set_count(const struct hy_call *call, size_t count);

/* Writes the scores and boxes of `count` detections to the outputs, from row `first` on. */
void hy_cpu_detections_store(const struct hy_call *call, size_t first, const struct hy_box *boxes,
                             const struct hy_detection *found, size_t count);

#endif
