#include "common/inference/infer_roi.h"
#include "common/inference/infer_rules.h"

#include "common/operations/operation.h"

/* A feature map with at least one pixel and channel. */
static enum hy_code read_map(const struct hy_call *call, uint32_t flag, bool *nchw,
                             struct hy_image_size *size, struct hy_error *err)
{
    enum hy_code code = hy_call_check_filled(call, 0, 4, 4, err);

    if (code == HY_OK)
        code = hy_call_bool(call, flag, nchw, err);
    if (code == HY_OK)
        *size = hy_image_size_of(&hy_call_input(call, 0)->shape, *nchw);
    return code;
}

static enum hy_code read_ratio(const struct hy_call *call, uint32_t index, float *ratio,
                               struct hy_error *err)
{
    enum hy_code code = hy_call_float(call, index, ratio, err);

    if (code == HY_OK && !(*ratio > 0))
        code = hy_fail(err, HY_FAILED, "input %u is %g, needs more than 0", index, (double)*ratio);
    return code;
}

/* Limit of sampling points of a cell along an axis. Without a limit, a small region could keep a
 * device busy for any time. */
#define MOST_SAMPLES 1024u

static enum hy_code read_samples(const struct hy_call *call, uint32_t index, uint32_t *samples,
                                 struct hy_error *err)
{
    enum hy_code code = hy_call_size(call, index, 0, samples, err);

    if (code == HY_OK && *samples > MOST_SAMPLES)
        code = hy_fail(err, HY_FAILED, "input %u is %u sampling points, at most %u", index,
                       *samples, MOST_SAMPLES);
    return code;
}

static enum hy_code read_sizes(const struct hy_call *call, struct hy_roi *roi, struct hy_error *err)
{
    enum hy_code code = hy_call_size(call, 3, 1, &roi->out.height, err);

    if (code == HY_OK)
        code = hy_call_size(call, 4, 1, &roi->out.width, err);
    if (code == HY_OK)
        code = read_ratio(call, 5, &roi->ratio_h, err);
    if (code == HY_OK)
        code = read_ratio(call, 6, &roi->ratio_w, err);
    if (code == HY_OK && call->operation == HY_OP_ROI_ALIGN)
        code = read_samples(call, 7, &roi->samples_h, err);
    if (code == HY_OK && call->operation == HY_OP_ROI_ALIGN)
        code = read_samples(call, 8, &roi->samples_w, err);
    return code;
}

/* The number of regions; ROI_ALIGN also accepts 0. */
static enum hy_code read_regions(const struct hy_call *call, uint32_t *count, struct hy_error *err)
{
    enum hy_code code = call->operation == HY_OP_ROI_ALIGN
                            ? hy_call_check_rank(call, 1, 2, 2, err)
                            : hy_call_check_filled(call, 1, 2, 2, err);

    if (code != HY_OK)
        return code;
    *count = hy_call_input(call, 1)->shape.dims[0];
    return hy_call_check_shape(call, 1, &(struct hy_shape){2, {*count, 4}}, err);
}

enum hy_code hy_roi_read(const struct hy_call *call, struct hy_roi *roi, struct hy_error *err)
{
    struct hy_roi read = {0};

    enum hy_code code = read_map(call, call->input_count - 1, &read.nchw, &read.in, err);
    if (code == HY_OK)
        code = read_regions(call, &read.out.batch, err);
    if (code == HY_OK)
        code = hy_call_check_shape(call, 2, &(struct hy_shape){1, {read.out.batch}}, err);
    if (code == HY_OK)
        code = read_sizes(call, &read, err);
    if (code != HY_OK)
        return code;
    read.out.channels = read.in.channels;
    *roi = read;
    return HY_OK;
}

enum hy_code hy_infer_roi(const struct hy_call *call, struct hy_shape *outputs,
                          struct hy_error *err)
{
    struct hy_roi roi;
    enum hy_code code = hy_roi_read(call, &roi, err);

    if (code == HY_OK)
        outputs[0] = hy_image_shape(&roi.out, roi.nchw);
    return code;
}

enum hy_code hy_keypoints_read(const struct hy_call *call, struct hy_keypoints *keypoints,
                               struct hy_error *err)
{
    struct hy_keypoints read;
    struct hy_image_size *size = &read.heatmaps;

    enum hy_code code = read_map(call, 2, &read.nchw, size, err);
    if (code == HY_OK)
        code = hy_call_check_shape(call, 1, &(struct hy_shape){2, {size->batch, 4}}, err);
    if (code != HY_OK)
        return code;
    if (size->height != size->width || size->height < 2)
        return hy_fail(err, HY_FAILED, "heatmaps of %u x %u, must be square and 2 x 2 or more",
                       size->height, size->width);
    *keypoints = read;
    return HY_OK;
}

enum hy_code hy_infer_heatmap_max_keypoint(const struct hy_call *call, struct hy_shape *outputs,
                                           struct hy_error *err)
{
    struct hy_keypoints keypoints;
    enum hy_code code = hy_keypoints_read(call, &keypoints, err);

    if (code != HY_OK)
        return code;
    const struct hy_image_size *size = &keypoints.heatmaps;
    outputs[0] = (struct hy_shape){2, {size->batch, size->channels}};
    outputs[1] = (struct hy_shape){3, {size->batch, size->channels, 2}};
    return HY_OK;
}
