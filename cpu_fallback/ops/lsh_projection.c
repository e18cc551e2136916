#include "common/inference/infer_lookup.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/half.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/kernels/farmhash.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/ops.h"

/* LSH_PROJECTION: each seed gives a bit, the sign of a sum of hashes over the rows of the input. */

struct lsh_step {
    enum hy_lsh_type type;
    bool is_half;          /* float16 seeds and weights */
    uint32_t hashes, bits; /* seeds per hash */
    size_t rows, row_bytes;
};

enum hy_code hy_cpu_lsh_projection_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                           struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *seeds = hy_call_input(ctx->call, 0), *in = hy_call_input(ctx->call, 1);
    struct lsh_step lsh = {
        .is_half = seeds->type == ANEURALNETWORKS_TENSOR_FLOAT16,
        .hashes = seeds->shape.dims[0],
        .bits = seeds->shape.dims[1],
        .rows = in->shape.dims[0],
        .row_bytes = hy_shape_span(&in->shape, 1, in->shape.rank) * hy_operand_type_bytes(in->type),
    };
    size_t offset;

    enum hy_code code = hy_lsh_type_read(ctx->call, &lsh.type, err);
    if (code != HY_OK)
        return code;
    step->params = hy_arena_copy(ctx->memory, &lsh, 1, sizeof lsh);
    if (!step->params)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    if (!hy_cpu_scratch_alloc(&step->scratch, sizeof(float) + lsh.row_bytes, &offset))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the rows are too large");
    return HY_OK;
}

static float read_float(const struct lsh_step *lsh, const void *values, size_t index)
{
    if (lsh->is_half)
        return hy_half_to_float(((const uint16_t *)values)[index]);
    return ((const float *)values)[index];
}

/* Hashes the bytes of the seed and of each row together, in `key`. */
static uint32_t project(const struct lsh_step *lsh, float seed, const uint8_t *in,
                        const void *weights, uint8_t *key)
{
    struct hy_stop_watch *watch = hy_stop_here();
    double sum = 0;

    memcpy(key, &seed, sizeof seed);
    for (size_t row = 0; row < lsh->rows && !hy_stop_after(watch, 16 + lsh->row_bytes); row++) {
        memcpy(key + sizeof seed, in + row * lsh->row_bytes, lsh->row_bytes);
        uint64_t hash = hy_farmhash_64(key, sizeof seed + lsh->row_bytes);
        double weight = weights ? (double)read_float(lsh, weights, row) : 1;
        sum += weight * (double)(int64_t)hash;
    }
    return sum > 0;
}

enum hy_code hy_cpu_lsh_projection_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct lsh_step *lsh = work->params;
    const struct hy_value *weights = hy_call_input(work->call, 2);
    const void *seeds = hy_call_input(work->call, 0)->data;
    const uint8_t *in = hy_call_input(work->call, 1)->data;
    int32_t *out = hy_call_output(work->call, 0)->data;

    if (lsh->type != HY_LSH_DENSE && !weights->omitted)
        return hy_fail(err, HY_FAILED, "type %d needs input 2 (weight) to be left out", lsh->type);
    for (uint32_t i = 0; i < lsh->hashes; i++) {
        uint64_t signature = lsh->type == HY_LSH_SPARSE ? i : 0; /* grows by `bits` bits */
        for (uint32_t j = 0; j < lsh->bits && !hy_stop_after(hy_stop_here(), 1); j++) {
            float seed = read_float(lsh, seeds, (size_t)i * lsh->bits + j);
            uint32_t bit =
                project(lsh, seed, in, weights->omitted ? NULL : weights->data, work->scratch);
            signature = signature << 1 | bit;
            if (lsh->type == HY_LSH_DENSE)
                *out++ = (int32_t)bit;
        }
        if (lsh->type != HY_LSH_DENSE)
            *out++ = (int32_t)(uint32_t)signature;
    }
    return HY_OK;
}
