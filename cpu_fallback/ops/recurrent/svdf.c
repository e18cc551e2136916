#include "common/inference/infer_rnn.h"
#include "cpu_fallback/ops/elements/floats.h"
#include "cpu_fallback/ops/ops.h"

struct svdf_step {
    struct hy_svdf svdf;
    struct hy_cpu_floats floats;
    struct hy_cell_kernels kernels;
    size_t in, times, bias, state, newest, out; /* offsets in scratch */
};

static bool alloc_scratch(const struct hy_svdf *s, size_t *scratch, struct svdf_step *step)
{
    uint64_t rows = (uint64_t)s->batch * s->filters; /* the size of the state tensor was checked */

    return hy_cpu_scratch_alloc_rows(scratch, s->batch, s->inputs, sizeof(float), &step->in) &&
           hy_cpu_scratch_alloc_rows(scratch, s->filters, s->memory, sizeof(float), &step->times) &&
           hy_cpu_scratch_alloc_rows(scratch, 1, s->units, sizeof(float), &step->bias) &&
           hy_cpu_scratch_alloc_rows(scratch, rows, s->memory, sizeof(float), &step->state) &&
           hy_cpu_scratch_alloc_rows(scratch, rows, 1, sizeof(float), &step->newest) &&
           hy_cpu_scratch_alloc_rows(scratch, s->batch, s->units, sizeof(float), &step->out);
}

enum hy_code hy_cpu_svdf_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                 struct hy_error *err)
{
    struct svdf_step *svdf = hy_arena_alloc(ctx->memory, sizeof *svdf);

    if (!svdf)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    enum hy_code code = hy_svdf_read(ctx->call, &svdf->svdf, err);
    if (code == HY_OK)
        code =
            hy_cpu_floats_init(ctx->kernels, hy_call_input(ctx->call, 0)->type, &svdf->floats, err);
    if (code != HY_OK)
        return code;
    if (!alloc_scratch(&svdf->svdf, &step->scratch, svdf))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the tensors are too large");
    svdf->kernels = hy_cpu_floats_cell_kernels(ctx->kernels, &svdf->floats);
    step->params = svdf;
    return HY_OK;
}

/* Input `index` as floats at `offset` of the scratch; NULL: omitted. */
static const float *load(const struct hy_cpu_work *work, uint32_t index, size_t count,
                         size_t offset)
{
    const struct svdf_step *svdf = work->params;
    const struct hy_value *value = hy_call_input(work->call, index);
    float *to = hy_cpu_scratch_floats(work, offset);

    if (value->omitted)
        return NULL;
    hy_cpu_floats_load(&svdf->floats, value->data, 0, count, to);
    return to;
}

enum hy_code hy_cpu_svdf_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct svdf_step *svdf = work->params;
    const struct hy_svdf *s = &svdf->svdf;
    size_t memory = (size_t)s->filters * s->memory, units = (size_t)s->batch * s->units;
    float *state = hy_cpu_scratch_floats(work, svdf->state);
    float *out = hy_cpu_scratch_floats(work, svdf->out);
    struct hy_svdf_params params = {
        .kernels = svdf->kernels,
        .batch = s->batch,
        .inputs = s->inputs,
        .filters = s->filters,
        .memory = s->memory,
        .rank = s->rank,
        .activation = s->activation,
        .weights = hy_call_input(work->call, 1)->data,
        .times = load(work, 2, memory, svdf->times),
        .bias = load(work, 3, s->units, svdf->bias),
        .newest = hy_cpu_scratch_floats(work, svdf->newest),
    };

    (void)err;
    load(work, 4, s->batch * memory, svdf->state);
    hy_svdf(&params, load(work, 0, (size_t)s->batch * s->inputs, svdf->in), state, out);
    hy_cpu_floats_store(&svdf->floats, state, s->batch * memory,
                        hy_call_output(work->call, 0)->data, 0);
    hy_cpu_floats_store(&svdf->floats, out, units, hy_call_output(work->call, 1)->data, 0);
    return HY_OK;
}
