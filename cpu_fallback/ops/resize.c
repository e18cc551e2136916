#include "common/inference/infer_resize.h"

#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/strided_copy.h"

/* RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR. */

struct resize_step {
    hy_resize_fn *kernel;
    struct hy_resize_params params;
};

typedef void fill_fn(const struct hy_resize_axis *axis, struct hy_resize_tap *taps);

static const struct hy_resize_tap *make_taps(struct hy_arena *memory, fill_fn *fill,
                                             const struct hy_resize *resize, uint32_t in,
                                             uint32_t out)
{
    struct hy_resize_axis axis = {in, out, resize->align_corners, resize->half_pixel_centers};
    struct hy_resize_tap *taps = hy_arena_alloc(memory, out * sizeof *taps);

    if (taps)
        fill(&axis, taps);
    return taps;
}

/* Planes of NCHW images are images of one channel. */
static struct hy_resize_params resize_params(const struct hy_resize *resize)
{
    const struct hy_image_size *in = &resize->in;

    return (struct hy_resize_params){
        .batch = resize->nchw ? (size_t)in->batch * in->channels : in->batch,
        .channels = resize->nchw ? 1 : in->channels,
        .in_h = in->height,
        .in_w = in->width,
        .out_h = resize->out.height,
        .out_w = resize->out.width,
    };
}

static enum hy_code resolve(const struct hy_cpu_resolve_ctx *ctx, hy_resize_fn *kernel,
                            fill_fn *fill, struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_resize read;
    enum hy_code code = hy_resize_read(ctx->call, &read, err);

    if (code != HY_OK)
        return code;
    struct resize_step *resize = hy_arena_alloc(ctx->memory, sizeof *resize);
    if (!resize)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    *resize = (struct resize_step){.kernel = kernel, .params = resize_params(&read)};
    resize->params.rows = make_taps(ctx->memory, fill, &read, read.in.height, read.out.height);
    resize->params.columns = make_taps(ctx->memory, fill, &read, read.in.width, read.out.width);
    if (!resize->params.rows || !resize->params.columns)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u rows and %u columns",
                       read.out.height, read.out.width);
    step->params = resize;
    return HY_OK;
}

enum hy_code hy_cpu_resize_bilinear_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                            struct hy_cpu_step *step, struct hy_error *err)
{
    int32_t type = hy_call_input(ctx->call, 0)->type;
    enum hy_element element = hy_cpu_element(type);

    if (element == HY_ELEMENT_COUNT || !ctx->kernels->resize_bilinear[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(type));
    return resolve(ctx, ctx->kernels->resize_bilinear[element],
                   element == HY_ELEMENT_S16 ? hy_resize_fill_fixed : hy_resize_fill_bilinear, step,
                   err);
}

enum hy_code hy_cpu_resize_nearest_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                           struct hy_cpu_step *step, struct hy_error *err)
{
    enum hy_element_size size = hy_cpu_element_size(hy_call_input(ctx->call, 0)->type);

    return resolve(ctx, ctx->kernels->resize_nearest[size], hy_resize_fill_nearest, step, err);
}

enum hy_code hy_cpu_resize_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct resize_step *resize = work->params;

    (void)err;
    resize->kernel(&resize->params, hy_call_input(work->call, 0)->data,
                   hy_call_output(work->call, 0)->data);
    return HY_OK;
}
