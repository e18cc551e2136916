#include "cpu_fallback/ops/ops.h"

#include "common/inference/infer_detection.h"
#include "common/operations/operation.h"
#include "cpu_fallback/kernels/suppression.h"
#include "cpu_fallback/ops/elements/floats.h"
#include "cpu_fallback/ops/elements/to_float.h"

/* NON_MAX_SUPPRESSION and SOFT_NON_MAX_SUPPRESSION: the selected boxes, the scores of the latter,
 * and the number of boxes. */
struct suppression_step {
    struct hy_suppression params;
    size_t most; /* extent of the outputs */
    bool is_soft;
    size_t boxes, scores, candidates, selected, selected_scores; /* in scratch */
};

static bool reserve_scratch(const struct hy_cpu_resolve_ctx *ctx,
                            struct suppression_step *suppression, size_t *total)
{
    const size_t most = suppression->params.most;

    return hy_cpu_to_float_alloc(total, hy_call_input(ctx->call, 0), &suppression->boxes) &&
           hy_cpu_to_float_alloc(total, hy_call_input(ctx->call, 1), &suppression->scores) &&
           hy_cpu_scratch_alloc_rows(total, suppression->params.boxes, 1,
                                     sizeof(struct hy_candidate), &suppression->candidates) &&
           hy_cpu_scratch_alloc_rows(total, most, 1, sizeof(int32_t), &suppression->selected) &&
           hy_cpu_scratch_alloc_rows(total, most, 1, sizeof(float), &suppression->selected_scores);
}

enum hy_code hy_cpu_suppression_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                        struct hy_cpu_step *step, struct hy_error *err)
{
    struct suppression_step suppression = {.is_soft = ctx->call->operation ==
                                                      HY_EXT_SOFT_NON_MAX_SUPPRESSION};
    struct hy_selection read;

    const enum hy_code code = hy_selection_read(ctx->call, &read, err);
    if (code != HY_OK)
        return code;
    suppression.most = read.most;
    suppression.params = (struct hy_suppression){
        .boxes = read.boxes,
        .most = read.most < read.boxes ? read.most : read.boxes,
        .iou_threshold = read.iou_threshold,
        .score_threshold = read.score_threshold,
        .sigma = read.sigma,
    };
    if (!reserve_scratch(ctx, &suppression, &step->scratch))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the scratch memory is too large");
    step->params = hy_arena_copy(ctx->memory, &suppression, 1, sizeof suppression);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

/* Writes the selected boxes, padded with zeros, and their number. */
enum hy_code hy_cpu_suppression_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct suppression_step *suppression = work->params;
    const struct hy_call *call = work->call;
    uint8_t *scratch = work->scratch;
    const float *boxes = hy_cpu_to_float_load(hy_call_input(call, 0), scratch + suppression->boxes);
    const float *scores =
        hy_cpu_to_float_load(hy_call_input(call, 1), scratch + suppression->scores);
    int32_t *selected = (void *)(scratch + suppression->selected);
    float *selected_scores = (void *)(scratch + suppression->selected_scores);

    (void)err;
    const size_t count =
        hy_suppress(&suppression->params, boxes, scores,
                    (void *)(scratch + suppression->candidates), selected, selected_scores);
    int32_t *indices = hy_call_output(call, 0)->data;
    for (size_t i = 0; i < suppression->most; i++)
        indices[i] = i < count ? selected[i] : 0;
    for (size_t i = 0; suppression->is_soft && i < suppression->most; i++) {
        const float score = i < count ? selected_scores[i] : 0;
        hy_cpu_to_float_store(hy_call_output(call, 1), i, 1, &score);
    }
    *(int32_t *)hy_call_output(call, call->output_count - 1)->data = (int32_t)count;
    return HY_OK;
}
