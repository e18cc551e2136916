#include "cpu_fallback/ops/ops.h"

#include <android/NeuralNetworksTypes.h>

#include "common/inference/infer_roi.h"
#include "cpu_fallback/kernels/detection.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/elements/to_float.h"

struct keypoints_step {
    struct hy_keypoints read;
    float epsilon;
    size_t heatmaps, boxes; /* in scratch */
};

enum hy_code hy_cpu_heatmap_max_keypoint_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                                 struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *heatmaps = hy_call_input(ctx->call, 0);
    bool is_half = heatmaps->type == ANEURALNETWORKS_TENSOR_FLOAT16;
    struct keypoints_step keypoints = {.epsilon = is_half ? 1e-3f : 1e-5f};

    enum hy_code code = hy_keypoints_read(ctx->call, &keypoints.read, err);
    if (code != HY_OK)
        return code;
    if (!hy_cpu_to_float_alloc(&step->scratch, heatmaps, &keypoints.heatmaps) ||
        !hy_cpu_to_float_alloc(&step->scratch, hy_call_input(ctx->call, 1), &keypoints.boxes))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the tensors are too large");
    step->params = hy_arena_copy(ctx->memory, &keypoints, 1, sizeof keypoints);
    if (!step->params)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    return HY_OK;
}

/* Heatmap `joint` of one region. */
static struct hy_heatmap heatmap_at(const struct keypoints_step *keypoints, const float *region,
                                    uint32_t joint)
{
    const struct hy_image_size *size = &keypoints->read.heatmaps;
    size_t pixels = (size_t)size->height * size->width;
    size_t column = keypoints->read.nchw ? 1 : size->channels;

    return (struct hy_heatmap){
        .values = region + joint * (keypoints->read.nchw ? pixels : 1),
        .size = size->width,
        .row = column * size->width,
        .column = column,
        .epsilon = keypoints->epsilon,
    };
}

static void find_keypoints(const struct keypoints_step *keypoints, const struct hy_call *call,
                           uint32_t region, const float *values, const struct hy_box *box)
{
    uint32_t joints = keypoints->read.heatmaps.channels;

    for (uint32_t joint = 0; joint < joints; joint++) {
        size_t row = (size_t)region * joints + joint;
        struct hy_heatmap map = heatmap_at(keypoints, values, joint);
        struct hy_keypoint point = hy_heatmap_max_keypoint(&map, box);
        hy_cpu_to_float_store(hy_call_output(call, 0), row, 1, &point.score);
        hy_cpu_to_float_store(hy_call_output(call, 1), 2 * row, 2,
                              (const float[]){point.x, point.y});
    }
}

enum hy_code hy_cpu_heatmap_max_keypoint_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct keypoints_step *keypoints = work->params;
    const struct hy_image_size *size = &keypoints->read.heatmaps;
    const struct hy_call *call = work->call;
    size_t region = (size_t)size->height * size->width * size->channels;
    const float *values =
        hy_cpu_to_float_load(hy_call_input(call, 0), work->scratch + keypoints->heatmaps);
    const struct hy_box *boxes = (const void *)hy_cpu_to_float_load(
        hy_call_input(call, 1), work->scratch + keypoints->boxes);

    for (uint32_t r = 0; r < size->batch && !hy_stop_after(hy_stop_here(), 1); r++) {
        if (!hy_box_is_ordered(&boxes[r]))
            return hy_fail(err, HY_FAILED, "region %u is from (%g, %g) to (%g, %g)", r,
                           (double)boxes[r].x1, (double)boxes[r].y1, (double)boxes[r].x2,
                           (double)boxes[r].y2);
        find_keypoints(keypoints, call, r, values + r * region, &boxes[r]);
    }
    return HY_OK;
}
