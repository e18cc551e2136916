#include "common/inference/infer_detection.h"
#include "common/inference/infer_rules.h"

#include "common/checked.h"

static enum hy_code check_shape(const struct hy_call *call, uint32_t index, uint32_t rank,
                                uint32_t first, uint64_t second, struct hy_error *err)
{
    if (second > UINT32_MAX)
        return hy_fail(err, HY_FAILED, "input %u would have an extent of %llu", index,
                       (unsigned long long)second);
    return hy_call_check_shape(call, index, &(struct hy_shape){rank, {first, (uint32_t)second}},
                               err);
}

/* Reads floats from input `first` on. */
static enum hy_code read_floats(const struct hy_call *call, uint32_t first, uint32_t count,
                                float *const *out, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = hy_call_float(call, first + i, out[i], err);
    return code;
}

/* A number below `least_limit` means no limit. */
static enum hy_code read_limit(const struct hy_call *call, uint32_t index, int32_t least_limit,
                               uint32_t *out, struct hy_error *err)
{
    int32_t value;
    enum hy_code code = hy_call_int(call, index, &value, err);

    if (code == HY_OK)
        *out = value < least_limit ? UINT32_MAX : (uint32_t)value;
    return code;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

enum hy_code hy_bbox_transform_read(const struct hy_call *call, struct hy_bbox_transform *transform,
                                    struct hy_error *err)
{
    const uint32_t *deltas = hy_call_input(call, 1)->shape.dims;
    const uint32_t *images = hy_call_input(call, 3)->shape.dims;

    enum hy_code code = hy_call_check_rank(call, 1, 2, 2, err);
    if (code == HY_OK)
        code = check_shape(call, 0, 2, deltas[0], 4, err);
    if (code == HY_OK)
        code = check_shape(call, 2, 1, deltas[0], 0, err);
    if (code == HY_OK)
        code = hy_call_check_filled(call, 3, 2, 2, err);
    if (code == HY_OK)
        code = check_shape(call, 3, 2, images[0], 2, err);
    if (code != HY_OK)
        return code;
    if (deltas[1] == 0 || deltas[1] % 4 != 0)
        return hy_fail(err, HY_FAILED, "input 1 has %u deltas per region, needs four per class",
                       deltas[1]);
    *transform = (struct hy_bbox_transform){deltas[0], deltas[1] / 4, images[0]};
    return HY_OK;
}

enum hy_code hy_infer_bbox_transform(const struct hy_call *call, struct hy_shape *outputs,
                                     struct hy_error *err)
{
    struct hy_bbox_transform transform;
    enum hy_code code = hy_bbox_transform_read(call, &transform, err);

    if (code == HY_OK)
        outputs[0] = hy_call_input(call, 1)->shape;
    return code;
}

static enum hy_code read_box_shapes(const struct hy_call *call, struct hy_box_limit *limit,
                                    struct hy_error *err)
{
    const uint32_t *scores = hy_call_input(call, 0)->shape.dims;

    enum hy_code code = hy_call_check_rank(call, 0, 2, 2, err);
    if (code == HY_OK)
        code = check_shape(call, 1, 2, scores[0], UINT64_C(4) * scores[1], err);
    if (code == HY_OK)
        code = check_shape(call, 2, 1, scores[0], 0, err);
    if (code != HY_OK)
        return code;
    if (scores[1] < 2)
        return hy_fail(err, HY_FAILED,
                       "input 0 has %u classes, needs 2 or more with the background", scores[1]);
    limit->regions = scores[0];
    limit->classes = scores[1];
    return HY_OK;
}

enum hy_code hy_box_limit_read(const struct hy_call *call, struct hy_box_limit *limit,
                               struct hy_error *err)
{
    struct hy_box_limit read = {0};
    float *const floats[] = {&read.iou_threshold, &read.sigma, &read.nms_score_threshold};

    enum hy_code code = read_box_shapes(call, &read, err);
    if (code == HY_OK)
        code = hy_call_float(call, 3, &read.score_threshold, err);
    if (code == HY_OK)
        code = read_limit(call, 4, 0, &read.limit, err);
    if (code == HY_OK)
        code = hy_call_int(call, 5, &read.kernel, err);
    if (code == HY_OK)
        code = read_floats(call, 6, 3, floats, err);
    if (code != HY_OK)
        return code;
    if (read.kernel < 0 || read.kernel > 2)
        return hy_fail(err, HY_FAILED, "input 5 is %d, not a kernel (0 to 2)", read.kernel);
    /* Each region belongs to one image, so the limit applies per region and image. */
    const uint64_t most = read.regions * smaller(read.limit, read.classes - 1);
    if (most > UINT32_MAX)
        return hy_fail(err, HY_FAILED, "%u regions of %u classes are too many", read.regions,
                       read.classes);
    read.most = (uint32_t)most;
    *limit = read;
    return HY_OK;
}

enum hy_code hy_infer_box_with_nms_limit(const struct hy_call *call, struct hy_shape *outputs,
                                         struct hy_error *err)
{
    struct hy_box_limit limit;
    enum hy_code code = hy_box_limit_read(call, &limit, err);

    if (code != HY_OK)
        return code;
    outputs[0] = outputs[2] = outputs[3] = (struct hy_shape){1, {limit.most}};
    outputs[1] = (struct hy_shape){2, {limit.most, 4}};
    return HY_OK;
}

static enum hy_code read_proposal_shapes(const struct hy_call *call, struct hy_proposals *proposals,
                                         struct hy_error *err)
{
    enum hy_code code = hy_call_check_filled(call, 0, 4, 4, err);

    if (code == HY_OK)
        code = hy_call_bool(call, 10, &proposals->nchw, err);
    if (code != HY_OK)
        return code;
    struct hy_image_size size = hy_image_size_of(&hy_call_input(call, 0)->shape, proposals->nchw);
    proposals->scores = size;
    if (size.channels > UINT32_MAX / 4)
        return hy_fail(err, HY_FAILED, "input 0 has %u anchors, too many", size.channels);
    size.channels *= 4;
    struct hy_shape deltas = hy_image_shape(&size, proposals->nchw);
    code = hy_call_check_shape(call, 1, &deltas, err);
    if (code == HY_OK)
        code = check_shape(call, 2, 2, proposals->scores.channels, 4, err);
    if (code == HY_OK)
        code = check_shape(call, 3, 2, size.batch, 2, err);
    return code;
}

enum hy_code hy_proposals_read(const struct hy_call *call, struct hy_proposals *proposals,
                               struct hy_error *err)
{
    struct hy_proposals read = {0};
    float *const ratios[] = {&read.ratio_h, &read.ratio_w};
    float *const thresholds[] = {&read.iou_threshold, &read.min_size};

    enum hy_code code = read_proposal_shapes(call, &read, err);
    if (code == HY_OK)
        code = read_floats(call, 4, 2, ratios, err);
    if (code == HY_OK)
        code = read_limit(call, 6, 1, &read.before_nms, err);
    if (code == HY_OK)
        code = read_limit(call, 7, 0, &read.after_nms, err);
    if (code == HY_OK)
        code = read_floats(call, 8, 2, thresholds, err);
    if (code != HY_OK)
        return code;
    const struct hy_image_size *size = &read.scores;
    uint64_t each = (uint64_t)size->height * size->width, most;
    if (!hy_mul_u64(each, size->channels, &each))
        each = UINT64_MAX;
    each = smaller(each, smaller(read.before_nms, read.after_nms));
    if (!hy_mul_u64(each, size->batch, &most) || most > UINT32_MAX)
        return hy_fail(err, HY_FAILED, "%u images of %u by %u with %u anchors are too many",
                       size->batch, size->height, size->width, size->channels);
    read.most = (uint32_t)most;
    *proposals = read;
    return HY_OK;
}

enum hy_code hy_infer_generate_proposals(const struct hy_call *call, struct hy_shape *outputs,
                                         struct hy_error *err)
{
    struct hy_proposals proposals;
    enum hy_code code = hy_proposals_read(call, &proposals, err);

    if (code != HY_OK)
        return code;
    outputs[0] = outputs[2] = (struct hy_shape){1, {proposals.most}};
    outputs[1] = (struct hy_shape){2, {proposals.most, 4}};
    return HY_OK;
}

static enum hy_code read_post_shapes(const struct hy_call *call, struct hy_postprocessing *post,
                                     struct hy_error *err)
{
    const uint32_t *scores = hy_call_input(call, 0)->shape.dims;
    const uint32_t *deltas = hy_call_input(call, 1)->shape.dims;

    enum hy_code code = hy_call_check_filled(call, 0, 3, 3, err);
    if (code == HY_OK)
        code = hy_call_check_filled(call, 1, 3, 3, err);
    if (code == HY_OK)
        code = check_shape(call, 2, 2, scores[1], 4, err);
    if (code != HY_OK)
        return code;
    if (deltas[0] != scores[0] || deltas[1] != scores[1] || deltas[2] < 4)
        return hy_fail(err, HY_FAILED, "input 1 has shape [%u, %u, %u], needs [%u, %u, 4 or more]",
                       deltas[0], deltas[1], deltas[2], scores[0], scores[1]);
    post->images = scores[0];
    post->anchors = scores[1];
    post->classes = scores[2];
    post->delta_length = deltas[2];
    return HY_OK;
}

static enum hy_code read_post_numbers(const struct hy_call *call, struct hy_postprocessing *post,
                                      struct hy_error *err)
{
    float *const scales[] = {&post->scale_y, &post->scale_x, &post->scale_h, &post->scale_w};
    float *const thresholds[] = {&post->score_threshold, &post->iou_threshold};

    enum hy_code code = read_floats(call, 3, 4, scales, err);
    for (uint32_t i = 0; i < 4 && code == HY_OK; i++) {
        if (!(*scales[i] > 0))
            code = hy_fail(err, HY_FAILED, "input %u is %g, needs more than 0", 3 + i,
                           (double)*scales[i]);
    }
    if (code == HY_OK)
        code = read_floats(call, 11, 2, thresholds, err);
    for (uint32_t i = 0; i < 2 && code == HY_OK; i++) {
        if (!(*thresholds[i] >= 0))
            code = hy_fail(err, HY_FAILED, "input %u is %g, needs 0 or more", 11 + i,
                           (double)*thresholds[i]);
    }
    if (code == HY_OK)
        code = hy_call_size(call, 8, 1, &post->limit, err);
    return code;
}

/* Reads the mode, and the limit that exists only in this mode. */
static enum hy_code read_post_way(const struct hy_call *call, struct hy_postprocessing *post,
                                  struct hy_error *err)
{
    uint64_t rows = post->limit;

    enum hy_code code = hy_call_bool(call, 7, &post->regular, err);
    if (code == HY_OK)
        code = hy_call_bool(call, 13, &post->counts_background, err);
    if (code == HY_OK && post->regular)
        code = hy_call_size(call, 10, 1, &post->limit_per_class, err);
    else if (code == HY_OK)
        code = hy_call_size(call, 9, 1, &post->classes_each, err);
    if (code != HY_OK)
        return code;
    if (!post->regular)
        rows *= post->classes_each;
    if (rows > UINT32_MAX)
        return hy_fail(err, HY_FAILED, "%u detections of %u classes are too many", post->limit,
                       post->classes_each);
    post->rows = (uint32_t)rows;
    return HY_OK;
}

enum hy_code hy_postprocessing_read(const struct hy_call *call, struct hy_postprocessing *post,
                                    struct hy_error *err)
{
    struct hy_postprocessing read = {0};

    enum hy_code code = read_post_shapes(call, &read, err);
    if (code == HY_OK)
        code = read_post_numbers(call, &read, err);
    if (code == HY_OK)
        code = read_post_way(call, &read, err);
    if (code == HY_OK)
        *post = read;
    return code;
}

enum hy_code hy_infer_detection_postprocessing(const struct hy_call *call, struct hy_shape *outputs,
                                               struct hy_error *err)
{
    struct hy_postprocessing post;
    enum hy_code code = hy_postprocessing_read(call, &post, err);

    if (code != HY_OK)
        return code;
    outputs[0] = outputs[2] = (struct hy_shape){2, {post.images, post.rows}};
    outputs[1] = (struct hy_shape){3, {post.images, post.rows, 4}};
    outputs[3] = (struct hy_shape){1, {post.images}};
    return HY_OK;
}

/* ---- NON_MAX_SUPPRESSION and SOFT_NON_MAX_SUPPRESSION ---------------------------------------- */

enum hy_code hy_selection_read(const struct hy_call *call, struct hy_selection *selection,
                               struct hy_error *err)
{
    const uint32_t *boxes = hy_call_input(call, 0)->shape.dims;
    struct hy_selection read = {0};
    float *const thresholds[] = {&read.iou_threshold, &read.score_threshold};

    enum hy_code code = hy_call_check_rank(call, 0, 2, 2, err);
    if (code == HY_OK)
        code = check_shape(call, 0, 2, boxes[0], 4, err);
    if (code == HY_OK)
        code = check_shape(call, 1, 1, boxes[0], 0, err);
    if (code == HY_OK)
        code = hy_call_size(call, 2, 1, &read.most, err);
    if (code == HY_OK)
        code = read_floats(call, 3, 2, thresholds, err);
    if (code == HY_OK && call->input_count > 5)
        code = hy_call_float(call, 5, &read.sigma, err);
    if (code != HY_OK)
        return code;
    if (!(read.sigma >= 0))
        return hy_fail(err, HY_FAILED, "input 5 is %g, must not be below 0", (double)read.sigma);
    read.boxes = boxes[0];
    if (read.boxes > INT32_MAX)
        return hy_fail(err, HY_FAILED, "%u boxes are more than int32 can number", read.boxes);
    *selection = read;
    return HY_OK;
}

enum hy_code hy_infer_non_max_suppression(const struct hy_call *call, struct hy_shape *outputs,
                                          struct hy_error *err)
{
    struct hy_selection selection;
    const enum hy_code code = hy_selection_read(call, &selection, err);

    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i + 1 < call->output_count; i++)
        outputs[i] = (struct hy_shape){1, {selection.most}};
    outputs[call->output_count - 1] = (struct hy_shape){1, {1}};
    return HY_OK;
}
