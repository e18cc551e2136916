#include "cpu_fallback/ops/ops.h"

#include "cpu_fallback/kernels/detection.h"
#include "cpu_fallback/ops/detections.h"
#include "cpu_fallback/ops/elements/to_float.h"

struct limit_step {
    struct hy_box_limit read;
    size_t scores, boxes, images, found; /* in scratch */
};

enum hy_code hy_cpu_box_with_nms_limit_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                               struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_call *call = ctx->call;
    struct limit_step limit = {0};

    enum hy_code code = hy_box_limit_read(call, &limit.read, err);
    if (code != HY_OK)
        return code;
    uint64_t most = (uint64_t)limit.read.regions * (limit.read.classes - 1);
    if (!hy_cpu_to_float_alloc(&step->scratch, hy_call_input(call, 0), &limit.scores) ||
        !hy_cpu_to_float_alloc(&step->scratch, hy_call_input(call, 1), &limit.boxes) ||
        !hy_cpu_copy_alloc(&step->scratch, hy_call_input(call, 2), &limit.images) ||
        !hy_cpu_detections_alloc(&step->scratch, most, &limit.found))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the tensors are too large");
    step->params = hy_arena_copy(ctx->memory, &limit, 1, sizeof limit);
    if (!step->params)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    return HY_OK;
}

static enum hy_code check_boxes(const struct hy_box_limit *read, const struct hy_box *boxes,
                                struct hy_error *err)
{
    for (uint32_t r = 0; r < read->regions; r++) {
        const struct hy_box *box = &boxes[(size_t)r * read->classes];
        if (!hy_box_is_ordered(box))
            return hy_fail(err, HY_FAILED,
                           "the first box of region %u is from (%g, %g) to (%g, %g)", r,
                           (double)box->x1, (double)box->y1, (double)box->x2, (double)box->y2);
    }
    return HY_OK;
}

enum hy_code hy_cpu_box_with_nms_limit_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct limit_step *limit = work->params;
    const struct hy_call *call = work->call;
    uint8_t *scratch = work->scratch;
    float *scores = hy_cpu_to_float_load(hy_call_input(call, 0), scratch + limit->scores);
    const struct hy_box *boxes =
        (const void *)hy_cpu_to_float_load(hy_call_input(call, 1), scratch + limit->boxes);
    const int32_t *images = hy_cpu_copy_load(hy_call_input(call, 2), scratch + limit->images);
    struct hy_detection *found = (void *)(scratch + limit->found);
    int32_t *labels = hy_call_output(call, 2)->data, *owners = hy_call_output(call, 3)->data;

    enum hy_code code = check_boxes(&limit->read, boxes, err);
    if (code != HY_OK)
        return code;
    size_t count = hy_box_with_nms_limit(&limit->read, scores, boxes, images, found);
    hy_cpu_detections_set_count(call, count);
    hy_cpu_detections_store(call, 0, boxes, found, count);
    for (size_t i = 0; i < count; i++) {
        labels[i] = (int32_t)found[i].label;
        owners[i] = images[found[i].box / limit->read.classes];
    }
    return HY_OK;
}
