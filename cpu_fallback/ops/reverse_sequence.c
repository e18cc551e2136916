#include "common/inference/infer_transpose.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/strided_copy.h"

/* REVERSE_SEQUENCE. The memory of the lengths may change during a run, so each length is read once
 * and checked before use. */

struct reverse_step {
    hy_strided_copy_fn *kernel;
    struct hy_shape in;
    ptrdiff_t strides[HY_MAX_RANK];
    uint32_t time, batch;
    size_t element_bytes;
};

enum hy_code hy_cpu_reverse_sequence_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                             struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    struct reverse_step reverse = {
        .kernel = ctx->kernels->strided_copy[hy_cpu_element_size(in->type)],
        .in = in->shape,
        .element_bytes = hy_operand_type_bytes(in->type),
    };

    enum hy_code code = hy_reverse_sequence_read(ctx->call, &reverse.time, &reverse.batch, err);
    if (code != HY_OK)
        return code;
    hy_cpu_strides(&reverse.in, reverse.strides);
    step->params = hy_arena_copy(ctx->memory, &reverse, 1, sizeof reverse);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

/* Copies `count` steps of a sequence, from step `first` on, to step `to` and the following
 * steps. */
static void move_steps(const struct reverse_step *reverse, size_t count, size_t first,
                       ptrdiff_t direction, size_t to, const uint8_t *in, uint8_t *out)
{
    const ptrdiff_t stride = reverse->strides[reverse->time];
    struct hy_strided_copy_params grid = {0};

    for (uint32_t d = 0; d < reverse->in.rank; d++) {
        if (d == reverse->time)
            hy_strided_copy_add(&grid, count, direction * stride, stride);
        else if (d != reverse->batch)
            hy_strided_copy_add(&grid, reverse->in.dims[d], reverse->strides[d],
                                reverse->strides[d]);
    }
    hy_strided_copy_finalize(&grid);
    if (grid.dims[0] > 0)
        reverse->kernel(&grid, in + first * (size_t)stride * reverse->element_bytes,
                        out + to * (size_t)stride * reverse->element_bytes);
}

enum hy_code hy_cpu_reverse_sequence_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct reverse_step *reverse = work->params;
    const struct hy_value *lengths = hy_call_input(work->call, 1);
    const size_t steps = reverse->in.dims[reverse->time];
    const size_t bytes = (size_t)reverse->strides[reverse->batch] * reverse->element_bytes;
    const uint8_t *in = hy_call_input(work->call, 0)->data;
    uint8_t *out = hy_call_output(work->call, 0)->data;

    for (size_t b = 0; b < reverse->in.dims[reverse->batch]; b++) {
        const int64_t length = lengths->type == HY_TENSOR_INT64
                                   ? ((const int64_t *)lengths->data)[b]
                                   : ((const int32_t *)lengths->data)[b];
        if (length < 0 || (uint64_t)length > steps)
            return hy_fail(err, HY_FAILED, "element %zu of input 1 is %lld, needs 0 to %zu", b,
                           (long long)length, steps);
        const size_t reversed = (size_t)length;
        if (reversed > 0)
            move_steps(reverse, reversed, reversed - 1, -1, 0, in + b * bytes, out + b * bytes);
        move_steps(reverse, steps - reversed, reversed, 1, reversed, in + b * bytes,
                   out + b * bytes);
    }
    return HY_OK;
}
