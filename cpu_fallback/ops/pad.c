#include "common/inference/infer_pad.h"

#include <string.h>

#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/strided_copy.h"

/* PAD, PAD_V2, MIRROR_PAD, DILATE. */

/* Pads with the element `value`. */
static enum hy_code resolve(const struct hy_cpu_resolve_ctx *ctx, const struct hy_pad *pad,
                            struct hy_cpu_copy_location value, struct hy_cpu_step *step,
                            struct hy_cpu_copies **out, struct hy_error *err)
{
    int32_t type = hy_call_input(ctx->call, 0)->type;
    struct hy_cpu_copies *copies = hy_cpu_copies_create(ctx, type, HY_CPU_PAD_COPIES);

    if (!copies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    hy_cpu_copies_add_pad(copies, pad, value, (struct hy_cpu_copy_location){.side = HY_CPU_OUTPUT});
    hy_cpu_copies_finalize(copies, ctx, step);
    step->params = *out = copies;
    return HY_OK;
}

static const struct hy_cpu_copy_location own_value = {.side = HY_CPU_VALUE};

/* Pads with the element that represents 0.0, or with the single element of an input 2. */
enum hy_code hy_cpu_pad_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                struct hy_error *err)
{
    const bool has_value = ctx->call->input_count > 2 && !hy_call_input(ctx->call, 2)->omitted;
    struct hy_cpu_copies *copies;
    struct hy_pad pad;

    enum hy_code code = hy_pad_read(ctx->call, &pad, err);
    if (code == HY_OK)
        code = resolve(ctx, &pad,
                       has_value ? (struct hy_cpu_copy_location){HY_CPU_INPUT, 2, 0} : own_value,
                       step, &copies, err);
    if (code == HY_OK)
        hy_cpu_copies_set_zero(copies, hy_call_input(ctx->call, 0));
    return code;
}

/* Pads with input 2: an element of the tensor, or an integer for 8-bit types. */
enum hy_code hy_cpu_pad_v2_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                   struct hy_error *err)
{
    struct hy_cpu_copies *copies;
    struct hy_pad pad;
    int32_t byte = 0;

    enum hy_code code = hy_pad_read(ctx->call, &pad, err);
    if (code == HY_OK)
        code = resolve(ctx, &pad, own_value, step, &copies, err);
    if (code != HY_OK)
        return code;
    if (copies->element_size == 1) {
        code = hy_call_int(ctx->call, 2, &byte, err);
        copies->value[0] = (uint8_t)byte;
    } else {
        memcpy(copies->value, hy_call_input(ctx->call, 2)->data, copies->element_size);
    }
    return code;
}

enum hy_code hy_cpu_mirror_pad_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                       struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_cpu_copies *copies;
    struct hy_pad pad;
    enum hy_code code = hy_mirror_pad_read(ctx->call, &pad, err);

    return code == HY_OK ? resolve(ctx, &pad, own_value, step, &copies, err) : code;
}

enum hy_code hy_cpu_dilate_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                   struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    const struct hy_cpu_copy_location from = {.side = HY_CPU_INPUT}, to = {.side = HY_CPU_OUTPUT};
    ptrdiff_t in_strides[HY_MAX_RANK], out_strides[HY_MAX_RANK];
    uint32_t steps[HY_MAX_RANK];
    struct hy_shape out;

    enum hy_code code = hy_dilate_read(ctx->call, &out, steps, err);
    if (code != HY_OK)
        return code;
    struct hy_cpu_copies *copies = hy_cpu_copies_create(ctx, in->type, 2);
    if (!copies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    hy_cpu_strides(&in->shape, in_strides);
    hy_cpu_strides(&out, out_strides);
    hy_cpu_copies_add_fill(copies, &out, (struct hy_cpu_copy_location){HY_CPU_INPUT, 2, 0});
    struct hy_strided_copy_params *grid = hy_cpu_copies_add(copies, from, to);
    for (uint32_t d = 0; d < out.rank; d++)
        hy_strided_copy_add(grid, in->shape.dims[d], in_strides[d],
                            out_strides[d] * (ptrdiff_t)steps[d]);
    hy_cpu_copies_finalize(copies, ctx, step);
    step->params = copies;
    return HY_OK;
}
