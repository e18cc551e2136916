#include "cpu_fallback/ops/ops.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/kernels/detection.h"
#include "cpu_fallback/ops/detections.h"
#include "cpu_fallback/ops/elements/to_float.h"
#include "cpu_fallback/program/image_order.h"

struct proposals_step {
    struct hy_proposals read;
    size_t scores, deltas, anchors, extents, boxes, found; /* in scratch */
    size_t nhwc; /* in scratch: NHWC copy of input 0 or 1, if needed */
};

enum hy_code hy_cpu_generate_proposals_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                               struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_call *call = ctx->call;
    struct proposals_step proposals = {0};

    enum hy_code code = hy_proposals_read(call, &proposals.read, err);
    if (code != HY_OK)
        return code;
    const struct hy_image_size *size = &proposals.read.scores;
    uint64_t each = (uint64_t)size->height * size->width * size->channels;
    if (!hy_cpu_to_float_alloc(&step->scratch, hy_call_input(call, 0), &proposals.scores) ||
        !hy_cpu_to_float_alloc(&step->scratch, hy_call_input(call, 1), &proposals.deltas) ||
        !hy_cpu_to_float_alloc(&step->scratch, hy_call_input(call, 2), &proposals.anchors) ||
        !hy_cpu_to_float_alloc(&step->scratch, hy_call_input(call, 3), &proposals.extents) ||
        !hy_cpu_copy_alloc(&step->scratch, hy_call_input(call, 1), &proposals.nhwc) ||
        !hy_cpu_boxes_alloc(&step->scratch, each, &proposals.boxes) ||
        !hy_cpu_detections_alloc(&step->scratch, each, &proposals.found))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the tensors are too large");
    step->params = hy_arena_copy(ctx->memory, &proposals, 1, sizeof proposals);
    if (!step->params)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    return HY_OK;
}

/* Input `index` in NHWC order, with `channels` per pixel. */
static const void *load_map(const struct hy_cpu_work *work, const struct proposals_step *proposals,
                            uint32_t index, uint32_t channels, size_t offset)
{
    struct hy_value value = *hy_call_input(work->call, index);
    struct hy_image_size size = proposals->read.scores;

    size.channels = channels;
    if (proposals->read.nchw) {
        void *copy = work->scratch + proposals->nhwc;
        hy_cpu_nchw_to_nhwc(&size, hy_operand_type_bytes(value.type), value.data, copy);
        value.data = copy;
    }
    return hy_cpu_to_float_load(&value, work->scratch + offset);
}

enum hy_code hy_cpu_generate_proposals_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct proposals_step *proposals = work->params;
    const struct hy_image_size *size = &proposals->read.scores;
    const struct hy_call *call = work->call;
    size_t each = (size_t)size->height * size->width * size->channels, count = 0;
    const float *scores = load_map(work, proposals, 0, size->channels, proposals->scores);
    const struct hy_box_delta *deltas =
        load_map(work, proposals, 1, 4 * size->channels, proposals->deltas);
    const void *anchors =
        hy_cpu_to_float_load(hy_call_input(call, 2), work->scratch + proposals->anchors);
    const struct hy_image_extent *extents =
        (void *)hy_cpu_to_float_load(hy_call_input(call, 3), work->scratch + proposals->extents);
    struct hy_box *boxes = (void *)(work->scratch + proposals->boxes);
    struct hy_detection *found = (void *)(work->scratch + proposals->found);
    int32_t *images = hy_call_output(call, 2)->data;

    (void)err;
    for (uint32_t n = 0; n < size->batch; n++) {
        size_t more = hy_generate_proposals(&proposals->read, &extents[n], anchors,
                                            scores + n * each, deltas + n * each, boxes, found);
        hy_cpu_detections_store(call, count, boxes, found, more);
        for (size_t i = 0; i < more; i++)
            images[count++] = (int32_t)n;
    }
    hy_cpu_detections_set_count(call, count);
    return HY_OK;
}
