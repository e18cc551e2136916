#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/elements.h"
#include "cpu_fallback/ops/ops.h"

#include <string.h>

/* The first available of three: a kernel for both types; two kernels with 64 bits in between; for
 * equal types no kernel, but a copy of the bytes. */
struct cast_step {
    hy_cast_fn *kernel;
    hy_widen_fn *widen;
    hy_narrow_fn *narrow;
    struct hy_cpu_elements elements;
};

/* NNAPI and the extension use the same kernels, except that NNAPI saturates from int32 to bytes. */
static hy_cast_fn *kernel_of(const struct hy_cpu_resolve_ctx *ctx, enum hy_element from,
                             enum hy_element to)
{
    if (hy_type_is_extension(ctx->call->operation)) {
        from = from == HY_ELEMENT_N8 ? HY_ELEMENT_U8 : from;
        to = to == HY_ELEMENT_N8 ? HY_ELEMENT_U8 : to;
        if (from == HY_ELEMENT_I32 && to == HY_ELEMENT_U8)
            return NULL;
    }
    return ctx->kernels->cast[from][to];
}

enum hy_code hy_cpu_cast_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                 struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    enum hy_element from = hy_cpu_element(in->type), to = hy_cpu_element(out->type);
    size_t count = hy_shape_span(&in->shape, 0, in->shape.rank);
    struct cast_step cast = {.elements =
                                 hy_cpu_elements_plan(ctx, count, HY_CPU_ELEMENTS_PER_US, step)};

    if (from != HY_ELEMENT_COUNT && to != HY_ELEMENT_COUNT && in->type != out->type) {
        cast.kernel = kernel_of(ctx, from, to);
        cast.widen = ctx->kernels->widen[from];
        cast.narrow = ctx->kernels->narrow[hy_wide_of(from)][to];
    }
    if (!cast.kernel && !cast.narrow && in->type != out->type)
        return hy_fail(err, HY_FAILED, "no kernel from %s to %s", hy_operand_type_name(in->type),
                       hy_operand_type_name(out->type));
    step->params = hy_arena_copy(ctx->memory, &cast, 1, sizeof cast);
    if (!step->params)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    return HY_OK;
}

static void convert(const struct cast_step *cast, const struct hy_cpu_work *work, size_t first,
                    size_t count)
{
    enum { BLOCK = 256 };
    union hy_wide_element wide[BLOCK];

    for (size_t end = first + count, part; first < end; first += part) {
        part = end - first < BLOCK ? end - first : BLOCK;
        cast->widen(part, hy_cpu_elements_at(hy_call_input(work->call, 0), first), wide);
        cast->narrow(part, wide, hy_cpu_elements_at(hy_call_output(work->call, 0), first));
    }
}

static void run_elements(const struct hy_cpu_work *work, size_t first, size_t count)
{
    const struct cast_step *cast = work->params;
    const struct hy_value *from = hy_call_input(work->call, 0);
    const void *in = hy_cpu_elements_at(from, first);
    void *out = hy_cpu_elements_at(hy_call_output(work->call, 0), first);

    if (cast->kernel)
        cast->kernel(count, in, out);
    else if (cast->narrow)
        convert(cast, work, first, count);
    else if (count > 0)
        memmove(out, in, count * hy_operand_type_bytes(from->type));
}

enum hy_code hy_cpu_cast_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct cast_step *cast = work->params;

    (void)err;
    hy_cpu_elements_run(work, &cast->elements, run_elements);
    return HY_OK;
}
