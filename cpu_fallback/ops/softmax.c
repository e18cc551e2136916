#include "cpu_fallback/ops/ops.h"

#include "common/inference/infer_softmax.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/via_float.h"

struct softmax_step {
    hy_softmax_fn *kernel;
    struct hy_cpu_via_float via_float; /* if initialized, the kernel is of float32 */
    struct hy_softmax_params params;
    float exp_table[HY_SOFTMAX_TABLE_SIZE];
};

/* Completes the step with one of `kernels`; the parameters have been read. */
static enum hy_code resolve(const struct hy_cpu_resolve_ctx *ctx, hy_softmax_fn *const *kernels,
                            const struct hy_softmax *read, struct hy_cpu_step *step,
                            struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    const struct hy_shape *shape = &in->shape;
    const bool is_via_float = hy_cpu_runs_via_float(ctx->call);
    enum hy_element element = is_via_float ? HY_ELEMENT_F32 : hy_cpu_element(in->type);

    if (element == HY_ELEMENT_COUNT || !kernels[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    struct softmax_step *softmax = hy_arena_alloc(ctx->memory, sizeof *softmax);
    if (!softmax)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    softmax->kernel = kernels[element];
    softmax->via_float.load = NULL;
    softmax->params = (struct hy_softmax_params){
        .outer = hy_shape_span(shape, 0, read->axis),
        .count = shape->dims[read->axis],
        .inner = hy_shape_span(shape, read->axis + 1, shape->rank),
        .beta = read->beta,
        .exp_table = softmax->exp_table,
    };
    if (element == HY_ELEMENT_U8 || element == HY_ELEMENT_S8)
        hy_softmax_fill_table(in->scale, read->beta, softmax->exp_table);
    step->params = softmax;
    return is_via_float ? hy_cpu_via_float_alloc(ctx, step, &softmax->via_float, err) : HY_OK;
}

enum hy_code hy_cpu_softmax_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                    struct hy_error *err)
{
    struct hy_softmax read;
    enum hy_code code = hy_softmax_read(ctx->call, &read, err);

    return code == HY_OK ? resolve(ctx, ctx->kernels->softmax, &read, step, err) : code;
}

/* For any rank. */
enum hy_code hy_cpu_softmax_of_any_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                           struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_softmax read;
    enum hy_code code = hy_log_softmax_read(ctx->call, &read, err);

    return code == HY_OK ? resolve(ctx, ctx->kernels->softmax, &read, step, err) : code;
}

enum hy_code hy_cpu_log_softmax_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                        struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_softmax read;
    enum hy_code code = hy_log_softmax_read(ctx->call, &read, err);

    return code == HY_OK ? resolve(ctx, ctx->kernels->log_softmax, &read, step, err) : code;
}

enum hy_code hy_cpu_softmax_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct softmax_step *softmax = work->params;

    (void)err;
    if (softmax->via_float.load) {
        float *floats = hy_cpu_via_float_open(&softmax->via_float, work);
        softmax->kernel(&softmax->params, floats, floats);
        hy_cpu_via_float_close(&softmax->via_float, work);
    } else {
        softmax->kernel(&softmax->params, hy_call_input(work->call, 0)->data,
                        hy_call_output(work->call, 0)->data);
    }
    return HY_OK;
}
