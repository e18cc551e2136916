#include "cpu_fallback/ops/ops.h"

#include <math.h>
#include <string.h>

#include "common/inference/infer_reduce.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/floats.h"
#include "cpu_fallback/ops/strided_copy.h"

/* MEAN and REDUCE_ALL ... REDUCE_SUM, and those of org.halyard.operations. */
struct reduce_step {
    hy_reduce_fn *kernel;
    struct hy_reduce_params params;
    hy_strided_copy_fn *sort; /* NULL: the input is reduced in place */
    struct hy_strided_copy_params grid;
    size_t sorted; /* in scratch: a matrix of kept and reduced dimensions */
};

static bool is_quantised(const struct hy_value *value)
{
    const enum hy_element element = hy_cpu_element(value->type);

    return element == HY_ELEMENT_U8 || element == HY_ELEMENT_S8 || element == HY_ELEMENT_S16;
}

/*
 * TensorFlow Lite has a special kernel for the mean over height and width of 8-bit images, used if
 * the axes are listed in its order and kept; it rounds to nearest.
 */
static bool is_mean_of_images(const struct hy_call *call, const struct hy_reduction *read)
{
    const struct hy_value *in = hy_call_input(call, 0), *axes = hy_call_input(call, 1);
    const enum hy_element element = hy_cpu_element(in->type);
    int32_t listed[2];

    if (!read->keep_dimensions || in->shape.rank != 4 || axes->shape.dims[0] != 2 ||
        (element != HY_ELEMENT_U8 && element != HY_ELEMENT_S8))
        return false;
    memcpy(listed, axes->data, sizeof listed);
    return (listed[0] == 1 && listed[1] == 2) || (listed[0] == 2 && listed[1] == 1);
}

/* All other means are truncated, unless the scale changes. The extension never truncates. */
static enum hy_reduce mean_of(const struct hy_call *call, const struct hy_reduction *read)
{
    const struct hy_value *in = hy_call_input(call, 0), *out = hy_call_output(call, 0);

    if (is_mean_of_images(call, read))
        return HY_REDUCE_MEAN_NEAREST;
    if (call->operation == HY_EXT_REDUCE_MEAN)
        return is_quantised(in) ? HY_REDUCE_MEAN_RESCALED : HY_REDUCE_MEAN;
    return in->scale != out->scale ? HY_REDUCE_MEAN_RESCALED : HY_REDUCE_MEAN;
}

/* Uses float32 where TensorFlow Lite does. */
static void set_quant(const struct hy_value *in, const struct hy_value *out,
                      struct hy_reduce_params *params)
{
    const size_t count = params->reduced.dims[0] * params->reduced.dims[1];

    params->in_scale = in->scale;
    params->out_scale = out->scale;
    params->scale_ratio = in->scale / out->scale;
    params->zero_point = in->zero_point;
    params->out_zero_point = out->zero_point;
    if (hy_cpu_element(in->type) == HY_ELEMENT_S8) {
        params->multiplier = hy_multiplier_from_double((double)in->scale / (double)out->scale);
        return;
    }
    params->multiplier =
        hy_multiplier_from_double((double)(in->scale / ((float)count * out->scale)));
    const float zero = roundf((float)in->zero_point * in->scale / out->scale);
    params->bias =
        out->zero_point - (int32_t)fminf(zero, 0x1p30f); /* larger values would be clamped anyway */
}

/* Walks over the input, or over a matrix sorted from the input. */
static enum hy_code set_walks(const struct hy_cpu_resolve_ctx *ctx, uint32_t axes,
                              struct reduce_step *reduce, struct hy_cpu_step *step,
                              struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    uint32_t matrix[2] = {1, 1}; /* kept elements, reduced elements */
    ptrdiff_t strides[HY_MAX_RANK];

    if (hy_reduce_set_walks(&reduce->params, in->shape.rank, in->shape.dims, axes))
        return HY_OK;
    for (uint32_t d = 0; d < in->shape.rank; d++)
        matrix[axes >> d & 1] *= in->shape.dims[d];
    if (!hy_cpu_scratch_alloc_rows(&step->scratch, matrix[0], matrix[1],
                                   hy_operand_type_bytes(in->type), &reduce->sorted))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the scratch memory is too large");
    reduce->sort = ctx->kernels->strided_copy[hy_cpu_element_size(in->type)];
    hy_cpu_strides(&in->shape, strides);
    ptrdiff_t next[2] = {matrix[1], 1};
    for (uint32_t d = in->shape.rank; d-- > 0;) {
        ptrdiff_t *stride = &next[axes >> d & 1];
        hy_strided_copy_add(&reduce->grid, in->shape.dims[d], strides[d], *stride);
        *stride *= (ptrdiff_t)in->shape.dims[d];
    }
    hy_strided_copy_finalize(&reduce->grid);
    (void)hy_reduce_set_walks(&reduce->params, 2, matrix, 1u << 1);
    return HY_OK;
}

enum hy_code hy_cpu_reduce_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                   struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    enum hy_reduce op = step->op->kind;
    enum hy_element element = hy_cpu_element(in->type);
    struct hy_reduction read;

    enum hy_code code = hy_reduction_read(ctx->call, &read, err);
    if (code != HY_OK)
        return code;
    if (op == HY_REDUCE_MEAN)
        op = mean_of(ctx->call, &read);
    if (element == HY_ELEMENT_COUNT || !ctx->kernels->reduce[op][element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));

    struct reduce_step *reduce = hy_arena_alloc(ctx->memory, sizeof *reduce);
    if (!reduce)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    *reduce = (struct reduce_step){.kernel = ctx->kernels->reduce[op][element]};
    code = set_walks(ctx, read.axes, reduce, step, err);
    if (code != HY_OK)
        return code;
    if (is_quantised(in))
        set_quant(in, hy_call_output(ctx->call, 0), &reduce->params);
    step->params = reduce;
    return HY_OK;
}

enum hy_code hy_cpu_reduce_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct reduce_step *reduce = work->params;

    const void *in = hy_call_input(work->call, 0)->data;

    (void)err;
    if (reduce->sort) {
        reduce->sort(&reduce->grid, in, work->scratch + reduce->sorted);
        in = work->scratch + reduce->sorted;
    }
    reduce->kernel(&reduce->params, in, hy_call_output(work->call, 0)->data);
    return HY_OK;
}
