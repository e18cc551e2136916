#include "cpu_fallback/ops/ops.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/floats.h"
#include "cpu_fallback/ops/elements/to_float.h"
#include "cpu_fallback/program/image_order.h"

struct roi_step {
    hy_roi_fn *kernel;
    struct hy_roi_params params;
    uint32_t element_size;
    size_t boxes, images, sums;   /* in scratch */
    size_t in_offset, out_offset; /* NHWC copies of NCHW tensors, in scratch */
};

static bool alloc_scratch(const struct hy_call *call, struct roi_step *roi, size_t *scratch)
{
    const struct hy_roi *read = &roi->params.roi;

    return hy_cpu_to_float_alloc(scratch, hy_call_input(call, 1), &roi->boxes) &&
           hy_cpu_copy_alloc(scratch, hy_call_input(call, 2), &roi->images) &&
           hy_cpu_scratch_alloc_rows(scratch, read->in.channels, 1, HY_ROI_SUM_SIZE, &roi->sums) &&
           (!read->nchw || (hy_cpu_copy_alloc(scratch, hy_call_input(call, 0), &roi->in_offset) &&
                            hy_cpu_copy_alloc(scratch, hy_call_output(call, 0), &roi->out_offset)));
}

enum hy_code hy_cpu_roi_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    enum hy_element element = hy_cpu_element(in->type);
    enum hy_roi_op op = step->op->kind;
    struct roi_step roi = {
        .element_size = hy_operand_type_bytes(in->type),
        .params = {.in_zero_point = in->zero_point,
                   .out_zero_point = out->zero_point,
                   .scale = (double)in->scale / 255 / (double)out->scale},
    };

    if (element != HY_ELEMENT_COUNT)
        roi.kernel = ctx->kernels->roi[op][element];
    if (!roi.kernel)
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    enum hy_code code = hy_roi_read(ctx->call, &roi.params.roi, err);
    if (code != HY_OK)
        return code;
    if (!alloc_scratch(ctx->call, &roi, &step->scratch))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the tensors are too large");
    step->params = hy_arena_copy(ctx->memory, &roi, 1, sizeof roi);
    if (!step->params)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    return HY_OK;
}

/* Scales a box of the image to the feature map, and checks that the box lies inside. */
static enum hy_code scale_box(const struct hy_roi *roi, uint32_t region, struct hy_box *box,
                              struct hy_error *err)
{
    struct hy_box scaled = {box->x1 / roi->ratio_w, box->y1 / roi->ratio_h, box->x2 / roi->ratio_w,
                            box->y2 / roi->ratio_h};

    if (!hy_box_is_ordered(box) || !(box->x1 >= 0) || !(box->y1 >= 0) ||
        !(scaled.x2 <= (float)roi->in.width) || !(scaled.y2 <= (float)roi->in.height))
        return hy_fail(err, HY_FAILED,
                       "region %u is from (%g, %g) to (%g, %g), outside an image of %g x %g",
                       region, (double)box->x1, (double)box->y1, (double)box->x2, (double)box->y2,
                       (double)roi->in.width * (double)roi->ratio_w,
                       (double)roi->in.height * (double)roi->ratio_h);
    *box = scaled;
    return HY_OK;
}

static enum hy_code check_regions(const struct hy_roi *roi, struct hy_box *boxes,
                                  const int32_t *images, struct hy_error *err)
{
    for (uint32_t r = 0; r < roi->out.batch; r++) {
        if (images[r] < 0 || (uint32_t)images[r] >= roi->in.batch)
            return hy_fail(err, HY_FAILED, "region %u is in image %d of %u", r, images[r],
                           roi->in.batch);
        enum hy_code code = scale_box(roi, r, &boxes[r], err);
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}

enum hy_code hy_cpu_roi_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct roi_step *roi = work->params;
    const struct hy_roi *read = &roi->params.roi;
    uint8_t *scratch = work->scratch;
    const void *in = hy_call_input(work->call, 0)->data;
    void *out = hy_call_output(work->call, 0)->data, *sums = scratch + roi->sums;
    struct hy_box *boxes =
        (void *)hy_cpu_to_float_load(hy_call_input(work->call, 1), scratch + roi->boxes);
    const int32_t *images = hy_cpu_copy_load(hy_call_input(work->call, 2), scratch + roi->images);

    enum hy_code code = check_regions(read, boxes, images, err);
    if (code != HY_OK)
        return code;
    if (!read->nchw) {
        roi->kernel(&roi->params, in, boxes, images, sums, out);
        return HY_OK;
    }
    uint8_t *in_copy = scratch + roi->in_offset, *out_copy = scratch + roi->out_offset;
    hy_cpu_nchw_to_nhwc(&read->in, roi->element_size, in, in_copy);
    roi->kernel(&roi->params, in_copy, boxes, images, sums, out_copy);
    hy_cpu_nhwc_to_nchw(&read->out, roi->element_size, out_copy, out);
    return HY_OK;
}
