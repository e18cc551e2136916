#include "cpu_fallback/ops/detections.h"

#include "cpu_fallback/ops/elements/floats.h"
#include "cpu_fallback/ops/elements/to_float.h"

bool hy_cpu_detections_alloc(size_t *total, uint64_t count, size_t *offset)
{
    return hy_cpu_scratch_alloc_rows(total, count, 1, sizeof(struct hy_detection), offset);
}

bool hy_cpu_boxes_alloc(size_t *total, uint64_t count, size_t *offset)
{
    return hy_cpu_scratch_alloc_rows(total, count, 1, sizeof(struct hy_box), offset);
}

void hy_cpu_detections_set_count(const struct hy_call *call, size_t count)
{
    for (uint32_t i = 0; i < call->output_count; i++)
        hy_call_output(call, i)->shape.dims[0] = (uint32_t)count;
}

void hy_cpu_detections_store(const struct hy_call *call, size_t first, const struct hy_box *boxes,
                             const struct hy_detection *found, size_t count)
{
    const struct hy_value *scores_out = hy_call_output(call, 0);
    const struct hy_value *boxes_out = hy_call_output(call, 1);

    for (size_t i = 0; i < count; i++) {
        const struct hy_box *box = &boxes[found[i].box];
        const float corners[4] = {box->x1, box->y1, box->x2, box->y2};
        hy_cpu_to_float_store(scores_out, first + i, 1, &found[i].score);
        hy_cpu_to_float_store(boxes_out, 4 * (first + i), 4, corners);
    }
}
