#include "cpu_fallback/ops/ops.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/kernels/where_unique.h"
#include "cpu_fallback/ops/elements/floats.h"
#include "cpu_fallback/ops/indices.h"

/* WHERE, UNIQUE and BUCKETIZE. */
struct search_step {
    struct hy_searched searched;
    size_t indices, table; /* in scratch */
};

static bool is_float(enum hy_element element)
{
    return element == HY_ELEMENT_F32 || element == HY_ELEMENT_F16 || element == HY_ELEMENT_F64 ||
           element == HY_ELEMENT_BF16;
}

static struct hy_searched searched_of(const struct hy_value *in)
{
    const uint32_t size = hy_operand_type_bytes(in->type);

    return (struct hy_searched){
        .count = hy_shape_span(&in->shape, 0, in->shape.rank),
        .size = size,
        .is_float = is_float(hy_cpu_element(in->type)),
        .zero = size == 1 ? (uint8_t)in->zero_point : (uint16_t)in->zero_point,
    };
}

static enum hy_code save_params(const struct hy_cpu_resolve_ctx *ctx,
                                const struct search_step *search, bool fits,
                                struct hy_cpu_step *step, struct hy_error *err)
{
    if (!fits)
        return hy_fail(err, HY_OUT_OF_MEMORY, "the scratch memory is too large");
    step->params = hy_arena_copy(ctx->memory, search, 1, sizeof *search);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_where_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                  struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    struct search_step search = {.searched = searched_of(in)};
    const bool fits =
        hy_cpu_indices_alloc(&step->scratch, hy_call_output(ctx->call, 0),
                             (uint64_t)search.searched.count * in->shape.rank, &search.indices);

    return save_params(ctx, &search, fits, step, err);
}

enum hy_code hy_cpu_where_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct search_step *search = work->params;
    const struct hy_value *in = hy_call_input(work->call, 0);
    struct hy_value *out = hy_call_output(work->call, 0);

    (void)err;
    const size_t found = hy_where(&search->searched, in->data, in->shape.rank, in->shape.dims,
                                  hy_cpu_indices_at(work, out, search->indices));
    hy_cpu_indices_store(work, out, search->indices, found * in->shape.rank);
    out->shape.dims[0] = (uint32_t)found;
    return HY_OK;
}

enum hy_code hy_cpu_unique_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                   struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    struct search_step search = {.searched = searched_of(in)};
    const size_t slots = hy_unique_slots(search.searched.count);
    const bool fits =
        hy_cpu_indices_alloc(&step->scratch, hy_call_output(ctx->call, 1), search.searched.count,
                             &search.indices) &&
        hy_cpu_scratch_alloc_rows(&step->scratch, slots, 1, sizeof(uint32_t), &search.table);

    return save_params(ctx, &search, fits && slots > 0, step, err);
}

enum hy_code hy_cpu_unique_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct search_step *search = work->params;
    struct hy_value *values = hy_call_output(work->call, 0);
    const struct hy_value *indices = hy_call_output(work->call, 1);

    (void)err;
    const size_t found = hy_unique(&search->searched, hy_call_input(work->call, 0)->data,
                                   (void *)(work->scratch + search->table), values->data,
                                   hy_cpu_indices_at(work, indices, search->indices));
    hy_cpu_indices_store(work, indices, search->indices, search->searched.count);
    values->shape.dims[0] = (uint32_t)found;
    return HY_OK;
}

struct bucketize_step {
    hy_bucketize_fn *kernel;
    struct hy_bucketize_params params;
};

enum hy_code hy_cpu_bucketize_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                      struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    const enum hy_element element = hy_cpu_element(in->type);

    if (element == HY_ELEMENT_COUNT || !ctx->kernels->bucketize[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    const struct bucketize_step bucketize = {
        .kernel = ctx->kernels->bucketize[element],
        .params = {.count = hy_shape_span(&in->shape, 0, in->shape.rank),
                   .boundaries = hy_call_input(ctx->call, 1)->shape.dims[0]},
    };
    step->params = hy_arena_copy(ctx->memory, &bucketize, 1, sizeof bucketize);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_bucketize_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct bucketize_step *bucketize = work->params;

    (void)err;
    bucketize->kernel(&bucketize->params, hy_call_input(work->call, 0)->data,
                      hy_call_input(work->call, 1)->data, hy_call_output(work->call, 0)->data);
    return HY_OK;
}
