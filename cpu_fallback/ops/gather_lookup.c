#include "common/inference/infer_lookup.h"

#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/ops.h"

/* GATHER, EMBEDDING_LOOKUP, HASHTABLE_LOOKUP: rows selected by indices. The memory of indices may
 * change during a run, so each index is read once and checked before use. */

struct gather_step {
    uint32_t indices, values; /* indices of inputs */
    size_t batches;           /* batches with separate indices */
    size_t outer;             /* groups of rows per batch */
    size_t rows;              /* rows to choose from */
    size_t count;             /* rows chosen per batch */
    size_t bytes;             /* per row */
    bool has_wide_indices;    /* 64-bit indices */
    bool may_count_from_end;  /* negative indices count from the end */
};

/* Rows are the parts of input `values` along `axis`. The first `batches` dimensions of values and
 * indices match. */
static struct gather_step gather_step(const struct hy_call *call, uint32_t indices, uint32_t values,
                                      uint32_t axis, uint32_t batches)
{
    const struct hy_shape *chosen = &hy_call_input(call, indices)->shape;
    const struct hy_value *in = hy_call_input(call, values);

    return (struct gather_step){
        .indices = indices,
        .values = values,
        .batches = hy_shape_span(chosen, 0, batches),
        .outer = hy_shape_span(&in->shape, batches, axis),
        .rows = in->shape.dims[axis],
        .count = hy_shape_span(chosen, batches, chosen->rank),
        .has_wide_indices = hy_call_input(call, indices)->type == HY_TENSOR_INT64,
        .bytes =
            hy_shape_span(&in->shape, axis + 1, in->shape.rank) * hy_operand_type_bytes(in->type),
    };
}

static enum hy_code save_params(const struct hy_cpu_resolve_ctx *ctx,
                                const struct gather_step *gather, struct hy_cpu_step *step,
                                struct hy_error *err)
{
    step->params = hy_arena_copy(ctx->memory, gather, 1, sizeof *gather);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_gather_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                   struct hy_error *err)
{
    uint32_t axis = 0, batches;
    enum hy_code code = hy_gather_axis(ctx->call, &axis, &batches, err);

    if (code != HY_OK)
        return code;
    struct gather_step gather = gather_step(ctx->call, 2, 0, axis, batches);
    gather.may_count_from_end = hy_call_is_extension(ctx->call);
    return save_params(ctx, &gather, step, err);
}

enum hy_code hy_cpu_embedding_lookup_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                             struct hy_cpu_step *step, struct hy_error *err)
{
    struct gather_step gather = gather_step(ctx->call, 0, 1, 0, 0);

    return save_params(ctx, &gather, step, err);
}

/* Finds the row of element `i` of the indices. */
static enum hy_code find_row(const struct gather_step *gather, const void *indices, size_t i,
                             size_t *row, struct hy_error *err)
{
    const int64_t index =
        gather->has_wide_indices ? ((const int64_t *)indices)[i] : ((const int32_t *)indices)[i];
    const int64_t rows = (int64_t)gather->rows, fewest = gather->may_count_from_end ? -rows : 0;

    if (index < fewest || index >= rows)
        return hy_fail(err, HY_FAILED, "element %zu of input %u is %lld, needs %lld to %lld", i,
                       gather->indices, (long long)index, (long long)fewest, (long long)rows - 1);
    *row = (size_t)(index < 0 ? index + rows : index);
    return HY_OK;
}

static enum hy_code gather_batch(const struct hy_cpu_work *work, size_t batch, struct hy_error *err)
{
    const struct gather_step *gather = work->params;
    const void *indices = hy_call_input(work->call, gather->indices)->data;
    const uint8_t *in = hy_call_input(work->call, gather->values)->data;
    uint8_t *out = hy_call_output(work->call, 0)->data;
    const size_t first = batch * gather->outer, end = first + gather->outer;
    struct hy_stop_watch *watch = hy_stop_here();
    size_t row;

    for (size_t i = 0; i < gather->count && !hy_stop_after(watch, 1); i++) {
        enum hy_code code = find_row(gather, indices, batch * gather->count + i, &row, err);
        if (code != HY_OK)
            return code;
        for (size_t o = first; o < end && !hy_stop_after(watch, gather->bytes); o++)
            memcpy(out + (o * gather->count + i) * gather->bytes,
                   in + (o * gather->rows + row) * gather->bytes, gather->bytes);
    }
    return HY_OK;
}

enum hy_code hy_cpu_gather_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct gather_step *gather = work->params;
    enum hy_code code = HY_OK;

    for (size_t batch = 0; batch < gather->batches && code == HY_OK; batch++)
        code = gather_batch(work, batch, err);
    return code;
}

enum hy_code hy_cpu_hashtable_lookup_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                             struct hy_cpu_step *step, struct hy_error *err)
{
    struct gather_step gather = gather_step(ctx->call, 0, 2, 0, 0);

    return save_params(ctx, &gather, step, err);
}

/* The row of `key` in ascending keys; `count` if absent. */
static size_t find_key(const int32_t *keys, size_t count, int32_t key)
{
    size_t first = 0, last = count;

    while (first < last) {
        size_t middle = first + (last - first) / 2;
        int32_t found = keys[middle];
        if (found == key)
            return middle;
        if (found < key)
            first = middle + 1;
        else
            last = middle;
    }
    return count;
}

enum hy_code hy_cpu_hashtable_lookup_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct gather_step *gather = work->params;
    const int32_t *lookups = hy_call_input(work->call, 0)->data;
    const int32_t *keys = hy_call_input(work->call, 1)->data;
    const uint8_t *values = hy_call_input(work->call, 2)->data;
    uint8_t *out = hy_call_output(work->call, 0)->data;
    uint8_t *hits = hy_call_output(work->call, 1)->data;

    (void)err;
    for (size_t i = 0; i < gather->count && !hy_stop_after(hy_stop_here(), 16 + gather->bytes);
         i++) {
        size_t row = find_key(keys, gather->rows, lookups[i]);
        hits[i] = row < gather->rows;
        if (hits[i])
            memcpy(out + i * gather->bytes, values + row * gather->bytes, gather->bytes);
        else
            memset(out + i * gather->bytes, 0, gather->bytes);
    }
    return HY_OK;
}
