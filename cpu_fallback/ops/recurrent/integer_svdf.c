#include "cpu_fallback/kernels/integer_svdf.h"

#include "common/inference/infer_rnn.h"
#include "cpu_fallback/ops/ops.h"

/* Inputs of the SVDF of org.halyard.operations. */
enum { IN, WEIGHTS, TIMES, BIAS, STATE };

static struct hy_multiplier multiplier(const struct hy_value *a, const struct hy_value *b,
                                       const struct hy_value *over)
{
    return hy_multiplier_from_double((double)(a->scale * b->scale / over->scale));
}

enum hy_code hy_cpu_integer_svdf_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                         struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, IN);
    const struct hy_value *state = hy_call_input(ctx->call, STATE);
    const struct hy_value *out = hy_call_output(ctx->call, 1);
    struct hy_svdf svdf;

    enum hy_code code = hy_svdf_read(ctx->call, &svdf, err);
    if (code != HY_OK)
        return code;
    const struct hy_integer_svdf_params params = {
        .batch = svdf.batch,
        .inputs = svdf.inputs,
        .filters = svdf.filters,
        .memory = svdf.memory,
        .rank = svdf.rank,
        .in_zero_point = in->zero_point,
        .out_zero_point = out->zero_point,
        .feature = multiplier(in, hy_call_input(ctx->call, WEIGHTS), state),
        .output = multiplier(state, hy_call_input(ctx->call, TIMES), out),
    };
    step->params = hy_arena_copy(ctx->memory, &params, 1, sizeof params);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_integer_svdf_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    struct hy_integer_svdf_params params = *(const struct hy_integer_svdf_params *)work->params;
    const struct hy_value *bias = hy_call_input(work->call, BIAS);

    (void)err;
    params.weights = hy_call_input(work->call, WEIGHTS)->data;
    params.times = hy_call_input(work->call, TIMES)->data;
    params.bias = bias->omitted ? NULL : bias->data;
    hy_integer_svdf(&params, hy_call_input(work->call, IN)->data,
                    hy_call_input(work->call, STATE)->data, hy_call_output(work->call, 0)->data,
                    hy_call_output(work->call, 1)->data);
    return HY_OK;
}
