#include "cpu_fallback/ops/ops.h"

#include <math.h>
#include <string.h>

#include "common/inference/infer_reduce.h"
#include "common/operations/operand_type.h"

/* MEAN and REDUCE_ALL ... REDUCE_SUM. */
struct reduce_step {
    hy_reduce_fn *kernel;
    struct hy_reduce_params params;
};

/*
 * TensorFlow Lite has a kernel of its own for the mean over height and width of images of bytes, if
 * these dimensions are listed just so and kept: it rounds to nearest.
 */
static bool is_mean_of_images(const struct hy_call *call, const struct hy_reduction *read)
{
    const struct hy_value *in = hy_call_input(call, 0), *axes = hy_call_input(call, 1);
    const enum hy_element element = hy_cpu_element(in->type);
    int32_t listed[2];

    if (!read->keep || in->shape.rank != 4 || axes->shape.dims[0] != 2 ||
        (element != HY_ELEMENT_U8 && element != HY_ELEMENT_S8))
        return false;
    memcpy(listed, axes->data, sizeof listed);
    return (listed[0] == 1 && listed[1] == 2) || (listed[0] == 2 && listed[1] == 1);
}

/* All other means are truncated, unless their scale changes. */
static enum hy_reduce mean_of(const struct hy_call *call, const struct hy_reduction *read)
{
    if (is_mean_of_images(call, read))
        return HY_REDUCE_MEAN_NEAREST;
    return hy_call_input(call, 0)->scale != hy_call_output(call, 0)->scale ? HY_REDUCE_MEAN_RESCALED
                                                                           : HY_REDUCE_MEAN;
}

/* In float32 where TensorFlow Lite has floats. */
static void set_quant(const struct hy_value *in, const struct hy_value *out,
                      struct hy_reduce_params *params)
{
    const size_t count = params->reduced.dims[0] * params->reduced.dims[1];

    params->scale_ratio = in->scale / out->scale;
    params->zero_point = in->zero_point;
    params->out_zero_point = out->zero_point;
    if (hy_cpu_element(in->type) == HY_ELEMENT_S8) {
        params->multiplier = hy_multiplier_from_double((double)in->scale / (double)out->scale);
        return;
    }
    params->multiplier =
        hy_multiplier_from_double((double)(in->scale / ((float)count * out->scale)));
    params->bias =
        out->zero_point - (int32_t)roundf((float)in->zero_point * in->scale / out->scale);
}

enum hy_code hy_cpu_reduce_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                   struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(site->call, 0);
    enum hy_reduce op = step->op->kind;
    enum hy_element element = hy_cpu_element(in->type);
    struct hy_reduction read;

    enum hy_code code = hy_reduction_read(site->call, &read, err);
    if (code != HY_OK)
        return code;
    if (op == HY_REDUCE_MEAN)
        op = mean_of(site->call, &read);
    if (element == HY_ELEMENT_COUNT || !site->kernels->reduce[op][element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));

    struct reduce_step *reduce = hy_arena_alloc(site->memory, sizeof *reduce);
    if (!reduce)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    *reduce = (struct reduce_step){.kernel = site->kernels->reduce[op][element]};
    hy_reduce_set_walks(&reduce->params, in->shape.rank, in->shape.dims, read.axes);
    if (op == HY_REDUCE_MEAN_NEAREST || op == HY_REDUCE_MEAN_RESCALED)
        set_quant(in, hy_call_output(site->call, 0), &reduce->params);
    step->params = reduce;
    return HY_OK;
}

enum hy_code hy_cpu_reduce_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct reduce_step *reduce = work->params;

    (void)err;
    reduce->kernel(&reduce->params, hy_call_input(work->call, 0)->data,
                   hy_call_output(work->call, 0)->data);
    return HY_OK;
}
