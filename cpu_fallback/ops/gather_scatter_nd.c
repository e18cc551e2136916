#include "common/inference/infer_index_vectors.h"

#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/fill.h"
#include "cpu_fallback/ops/ops.h"

/* GATHER_ND, SCATTER_ND, SPARSE_TO_DENSE: parts selected by vectors of indices. The memory of
 * indices may change during a run, so each index is read once and checked before use. */

struct parts_step {
    uint32_t input; /* input with the indices */
    uint32_t depth; /* indices per vector */
    bool has_wide_indices;
    size_t batches, count;         /* `count`: vectors per batch */
    uint32_t extents[HY_MAX_RANK]; /* extents of the indexed dimensions */
    size_t parts;                  /* parts per batch */
    size_t elements, bytes;        /* per part */
    struct hy_cpu_fill fill;       /* SPARSE_TO_DENSE */
    hy_accumulate_fn *accumulate;  /* SCATTER_ND */
};

static struct parts_step parts_step(const struct hy_call *call,
                                    const struct hy_index_vectors *vectors)
{
    const uint32_t bytes = hy_operand_type_bytes(hy_call_output(call, 0)->type);
    const struct hy_shape *of = &vectors->of;
    const uint32_t named = vectors->batches + vectors->depth;
    struct parts_step step = {
        .input = vectors->input,
        .depth = vectors->depth,
        .has_wide_indices = hy_call_input(call, vectors->input)->type == HY_TENSOR_INT64,
        .batches = hy_shape_span(of, 0, vectors->batches),
        .count = vectors->count,
        .parts = hy_shape_span(of, vectors->batches, named),
        .elements = hy_shape_span(of, named, of->rank),
    };

    step.bytes = step.elements * bytes;
    memcpy(step.extents, of->dims + vectors->batches, vectors->depth * sizeof *step.extents);
    return step;
}

static enum hy_code save_params(const struct hy_cpu_resolve_ctx *ctx,
                                const struct parts_step *parts, struct hy_cpu_step *step,
                                struct hy_error *err)
{
    step->params = hy_arena_copy(ctx->memory, parts, 1, sizeof *parts);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

/* Finds the part that vector `vector` selects. Negative indices count from the end. */
static enum hy_code find_part(const struct hy_cpu_work *work, size_t vector, size_t *part,
                              struct hy_error *err)
{
    const struct parts_step *step = work->params;
    const void *indices = hy_call_input(work->call, step->input)->data;
    size_t at = 0;

    for (uint32_t d = 0; d < step->depth; d++) {
        const size_t i = vector * step->depth + d;
        const int64_t extent = step->extents[d];
        const int64_t index =
            step->has_wide_indices ? ((const int64_t *)indices)[i] : ((const int32_t *)indices)[i];
        if (index < -extent || index >= extent)
            return hy_fail(err, HY_FAILED, "element %zu of input %u is %lld, needs %lld to %lld", i,
                           step->input, (long long)index, (long long)-extent,
                           (long long)extent - 1);
        at = at * (size_t)extent + (size_t)(index < 0 ? index + extent : index);
    }
    *part = at;
    return HY_OK;
}

enum hy_code hy_cpu_gather_nd_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                      struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_index_vectors vectors;
    enum hy_code code = hy_gather_nd_read(ctx->call, &vectors, err);

    if (code != HY_OK)
        return code;
    const struct parts_step parts = parts_step(ctx->call, &vectors);
    return save_params(ctx, &parts, step, err);
}

enum hy_code hy_cpu_gather_nd_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct parts_step *step = work->params;
    const uint8_t *in = hy_call_input(work->call, 0)->data;
    uint8_t *out = hy_call_output(work->call, 0)->data;
    size_t part;

    for (size_t i = 0;
         i < step->batches * step->count && !hy_stop_after(hy_stop_here(), 1 + step->bytes); i++) {
        enum hy_code code = find_part(work, i, &part, err);
        if (code != HY_OK)
            return code;
        memcpy(out + i * step->bytes, in + (i / step->count * step->parts + part) * step->bytes,
               step->bytes);
    }
    return HY_OK;
}

enum hy_code hy_cpu_scatter_nd_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                       struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_index_vectors vectors;
    enum hy_code code = hy_scatter_nd_read(ctx->call, &vectors, err);

    if (code != HY_OK)
        return code;
    struct parts_step parts = parts_step(ctx->call, &vectors);
    parts.accumulate = ctx->kernels->accumulate[hy_cpu_element(hy_call_output(ctx->call, 0)->type)];
    return save_params(ctx, &parts, step, err);
}

enum hy_code hy_cpu_scatter_nd_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct parts_step *step = work->params;
    const uint8_t *updates = hy_call_input(work->call, 1)->data;
    uint8_t *out = hy_call_output(work->call, 0)->data;
    size_t part;

    memset(out, 0, step->parts * step->bytes);
    for (size_t i = 0;
         updates && i < step->count && !hy_stop_after(hy_stop_here(), 1 + step->bytes); i++) {
        enum hy_code code = find_part(work, i, &part, err);
        if (code != HY_OK)
            return code;
        step->accumulate(step->elements, updates + i * step->bytes, out + part * step->bytes);
    }
    return HY_OK;
}

enum hy_code hy_cpu_sparse_to_dense_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                            struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_index_vectors vectors;
    enum hy_code code = hy_sparse_to_dense_read(ctx->call, &vectors, err);

    if (code != HY_OK)
        return code;
    struct parts_step parts = parts_step(ctx->call, &vectors);
    parts.fill = hy_cpu_fill_plan(ctx, hy_call_output(ctx->call, 0));
    return save_params(ctx, &parts, step, err);
}

/* Of two values with equal indices the later wins. */
enum hy_code hy_cpu_sparse_to_dense_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct parts_step *step = work->params;
    const struct hy_value *values = hy_call_input(work->call, 2);
    const size_t stride = values->shape.dims[0] == 1 ? 0 : step->bytes;
    uint8_t *out = hy_call_output(work->call, 0)->data;
    size_t part;

    hy_cpu_fill_run(&step->fill, hy_call_input(work->call, 3)->data, out);
    for (size_t i = 0; i < step->count && !hy_stop_after(hy_stop_here(), 1); i++) {
        enum hy_code code = find_part(work, i, &part, err);
        if (code != HY_OK)
            return code;
        memcpy(out + part * step->bytes, (const uint8_t *)values->data + i * stride, step->bytes);
    }
    return HY_OK;
}
