#include "common/inference/infer_table.h"

#include <math.h>
#include <string.h>

#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/ops.h"

/* EMBEDDING_LOOKUP_SPARSE of org.halyard.operations. Elements of the sparse tensor are in ascending
 * order, so the elements of an output row are neighbours. */

enum hy_code hy_cpu_embedding_lookup_sparse_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                                    struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_sparse_lookup lookup;

    enum hy_code code = hy_sparse_lookup_read(ctx->call, &lookup, err);
    if (code != HY_OK)
        return code;
    step->params = hy_arena_copy(ctx->memory, &lookup, 1, sizeof lookup);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

/* Finds the output row of element `i` of the sparse tensor. */
static enum hy_code find_bucket(const struct hy_sparse_lookup *lookup, const int32_t *indices,
                                size_t i, size_t *ret_bucket, struct hy_error *err)
{
    size_t bucket = 0;

    for (uint32_t d = 0; d < lookup->rank; d++) {
        const int32_t index = indices[i * lookup->rank + d];
        if (index < 0 || (uint32_t)index >= lookup->shape[d])
            return hy_fail(err, HY_FAILED, "index %u of element %zu is %d, needs 0 to %u", d, i,
                           index, lookup->shape[d] - 1);
        if (d + 1 < lookup->rank)
            bucket = bucket * lookup->shape[d] + (size_t)index;
    }
    *ret_bucket = bucket;
    return HY_OK;
}

/* Weights of an output row so far. */
struct weights {
    float sum, squares;
};

static void finish_row(enum hy_combiner combiner, const struct weights *weights, size_t size,
                       float *row)
{
    const float divisor = combiner == HY_COMBINE_MEAN ? weights->sum : sqrtf(weights->squares);

    for (size_t k = 0; combiner != HY_COMBINE_SUM && k < size; k++)
        row[k] /= divisor;
}

enum hy_code hy_cpu_embedding_lookup_sparse_run(const struct hy_cpu_work *work,
                                                struct hy_error *err)
{
    const struct hy_sparse_lookup *lookup = work->params;
    const struct hy_value *rows = hy_call_input(work->call, HY_SPARSE_ROWS);
    const struct hy_shape *to = &hy_call_output(work->call, 0)->shape;
    const int32_t *ids = hy_call_input(work->call, HY_SPARSE_IDS)->data;
    const int32_t *indices = hy_call_input(work->call, HY_SPARSE_INDICES)->data;
    const float *factors = hy_call_input(work->call, HY_SPARSE_WEIGHTS)->data;
    const size_t size = hy_shape_span(&rows->shape, 1, rows->shape.rank);
    float *out = hy_call_output(work->call, 0)->data;
    struct weights weights = {0};
    size_t last = 0, bucket = 0;

    memset(out, 0, hy_shape_span(to, 0, to->rank) * sizeof *out);
    for (size_t i = 0; i < lookup->count && !hy_stop_after(hy_stop_here(), size); i++) {
        const enum hy_code code = find_bucket(lookup, indices, i, &bucket, err);
        if (code != HY_OK)
            return code;
        const int32_t id = ids[i];
        if (id < 0 || (uint32_t)id >= rows->shape.dims[0])
            return hy_fail(err, HY_FAILED, "element %zu of input 0 is %d, needs 0 to %u", i, id,
                           rows->shape.dims[0] - 1);
        if (i > 0 && bucket < last)
            return hy_fail(err, HY_FAILED, "index %zu is below the index before", i);
        if (i > 0 && bucket > last) {
            finish_row(lookup->combiner, &weights, size, out + last * size);
            weights = (struct weights){0};
        }
        last = bucket;
        weights.sum += factors[i];
        weights.squares += factors[i] * factors[i];
        const float *row = (const float *)rows->data + (size_t)id * size;
        for (size_t k = 0; k < size; k++)
            out[bucket * size + k] += row[k] * factors[i];
    }
    if (lookup->count > 0)
        finish_row(lookup->combiner, &weights, size, out + last * size);
    return HY_OK;
}
