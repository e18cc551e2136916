#include "cpu_fallback/ops/ops.h"

#include "common/inference/infer_pool.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/program/image_order.h"

struct pool_step {
    hy_pool_fn *kernel;
    struct hy_pool_params params;
    struct hy_pool_2d pool;
    uint32_t element_size;
    size_t in_offset, out_offset; /* NHWC copies of NCHW tensors, in scratch */
};

static enum hy_code plan_copies(const struct hy_cpu_resolve_ctx *ctx, struct pool_step *pool,
                                size_t *scratch, struct hy_error *err)
{
    uint64_t in, out;

    if (!pool->pool.nchw)
        return HY_OK;
    if (!hy_shape_bytes(&hy_call_input(ctx->call, 0)->shape, pool->element_size, &in) ||
        !hy_shape_bytes(&hy_call_output(ctx->call, 0)->shape, pool->element_size, &out) ||
        !hy_cpu_scratch_alloc(scratch, in, &pool->in_offset) ||
        !hy_cpu_scratch_alloc(scratch, out, &pool->out_offset))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the tensors are too large");
    return HY_OK;
}

static struct hy_pool_params pool_params(const struct hy_pool_2d *pool, struct hy_activation bounds)
{
    return (struct hy_pool_params){
        .batch = pool->in.batch,
        .in_h = pool->in.height,
        .in_w = pool->in.width,
        .channels = pool->in.channels,
        .out_h = pool->out.height,
        .out_w = pool->out.width,
        .filter_h = pool->rows.filter,
        .filter_w = pool->columns.filter,
        .stride_h = pool->rows.stride,
        .stride_w = pool->columns.stride,
        .pad_top = pool->rows.head,
        .pad_left = pool->columns.head,
        .activation = bounds,
    };
}

enum hy_code hy_cpu_pool_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                 struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    enum hy_element element = hy_cpu_element(in->type);
    enum hy_pooling op = step->op->kind;
    struct hy_pool_2d read;

    if (element == HY_ELEMENT_COUNT || !ctx->kernels->pool[op][element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    enum hy_code code = hy_pool_2d_read(ctx->call, &read, err);
    if (code != HY_OK)
        return code;

    struct pool_step *pool = hy_arena_alloc(ctx->memory, sizeof *pool);
    if (!pool)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    *pool = (struct pool_step){
        .kernel = ctx->kernels->pool[op][element],
        .params = pool_params(
            &read, hy_activation_bounds(read.activation, element, out->scale, out->zero_point)),
        .pool = read,
        .element_size = hy_operand_type_bytes(in->type),
    };
    step->params = pool;
    return plan_copies(ctx, pool, &step->scratch, err);
}

enum hy_code hy_cpu_pool_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct pool_step *pool = work->params;
    const void *in = hy_call_input(work->call, 0)->data;
    void *out = hy_call_output(work->call, 0)->data;

    (void)err;
    if (!pool->pool.nchw) {
        pool->kernel(&pool->params, in, out);
        return HY_OK;
    }
    uint8_t *in_copy = work->scratch + pool->in_offset;
    uint8_t *out_copy = work->scratch + pool->out_offset;
    hy_cpu_nchw_to_nhwc(&pool->pool.in, pool->element_size, in, in_copy);
    pool->kernel(&pool->params, in_copy, out_copy);
    hy_cpu_nhwc_to_nchw(&pool->pool.out, pool->element_size, out_copy, out);
    return HY_OK;
}
