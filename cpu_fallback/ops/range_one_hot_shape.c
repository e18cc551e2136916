#include "common/inference/infer_generate.h"

#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/fill.h"
#include "cpu_fallback/ops/ops.h"

#include <android/NeuralNetworksTypes.h>

/* RANGE, ONE_HOT, SHAPE: elements computed from a few numbers. */

/* ---- RANGE ----------------------------------------------------------------------------------- */

struct range_step {
    int32_t type;
    size_t count;
};

enum hy_code hy_cpu_range_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                  struct hy_error *err)
{
    struct range_step range = {.type = hy_call_output(ctx->call, 0)->type};
    uint32_t count;
    enum hy_code code = hy_range_count(ctx->call, &count, err);

    if (code != HY_OK)
        return code;
    range.count = count;
    step->params = hy_arena_copy(ctx->memory, &range, 1, sizeof range);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

/* Element i is start + i * delta: of integers modulo 2^n, of floats rounded from float64. */
static void set_number(int32_t type, const void *start, const void *delta, size_t i, void *out)
{
    switch (type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
        ((float *)out)[i] = (float)(*(const float *)start + (double)i * *(const float *)delta);
        break;
    case HY_TENSOR_FLOAT64:
        ((double *)out)[i] = *(const double *)start + (double)i * *(const double *)delta;
        break;
    case HY_TENSOR_INT64:
        ((uint64_t *)out)[i] = *(const uint64_t *)start + i * *(const uint64_t *)delta;
        break;
    default:
        ((uint32_t *)out)[i] = *(const uint32_t *)start + (uint32_t)i * *(const uint32_t *)delta;
    }
}

enum hy_code hy_cpu_range_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct range_step *range = work->params;
    const void *start = hy_call_input(work->call, 0)->data;
    const void *delta = hy_call_input(work->call, 2)->data;
    void *out = hy_call_output(work->call, 0)->data;

    (void)err;
    for (size_t i = 0; i < range->count && !hy_stop_after(hy_stop_here(), 1); i++)
        set_number(range->type, start, delta, i, out);
    return HY_OK;
}

/* ---- ONE_HOT --------------------------------------------------------------------------------- */

struct one_hot_step {
    struct hy_cpu_fill fill;
    size_t count, inner; /* all indices; indices behind the axis */
    size_t depth, bytes;
    bool has_wide_indices;
};

enum hy_code hy_cpu_one_hot_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                    struct hy_error *err)
{
    const struct hy_value *indices = hy_call_input(ctx->call, 0);
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    uint32_t axis = 0, depth;

    enum hy_code code = hy_one_hot_read(ctx->call, &axis, &depth, err);
    if (code != HY_OK)
        return code;
    const struct one_hot_step hot = {
        .fill = hy_cpu_fill_plan(ctx, out),
        .count = hy_shape_span(&indices->shape, 0, indices->shape.rank),
        .inner = hy_shape_span(&indices->shape, axis, indices->shape.rank),
        .depth = depth,
        .bytes = hy_operand_type_bytes(out->type),
        .has_wide_indices = indices->type == HY_TENSOR_INT64,
    };
    step->params = hy_arena_copy(ctx->memory, &hot, 1, sizeof hot);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_one_hot_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct one_hot_step *hot = work->params;
    const void *indices = hy_call_input(work->call, 0)->data;
    const void *on = hy_call_input(work->call, 2)->data;
    uint8_t *out = hy_call_output(work->call, 0)->data;

    (void)err;
    hy_cpu_fill_run(&hot->fill, hy_call_input(work->call, 3)->data, out);
    for (size_t i = 0; i < hot->count && !hy_stop_after(hy_stop_here(), 1); i++) {
        const int64_t index =
            hot->has_wide_indices ? ((const int64_t *)indices)[i] : ((const int32_t *)indices)[i];
        const size_t outer = i / hot->inner, inner = i % hot->inner;
        if (index >= 0 && (uint64_t)index < hot->depth)
            memcpy(out + ((outer * hot->depth + (size_t)index) * hot->inner + inner) * hot->bytes,
                   on, hot->bytes);
    }
    return HY_OK;
}

/* ---- SHAPE ----------------------------------------------------------------------------------- */

struct shape_step {
    size_t bytes;
    union {
        int64_t wide[HY_MAX_RANK];
        int32_t narrow[HY_MAX_RANK];
    } extents;
};

enum hy_code hy_cpu_shape_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                  struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(ctx->call, 0)->shape;
    const int32_t type = hy_call_output(ctx->call, 0)->type;
    struct shape_step shape = {.bytes = (size_t)in->rank * hy_operand_type_bytes(type)};

    for (uint32_t i = 0; i < in->rank; i++) {
        if (type == HY_TENSOR_INT64)
            shape.extents.wide[i] = in->dims[i];
        else if (in->dims[i] <= INT32_MAX)
            shape.extents.narrow[i] = (int32_t)in->dims[i];
        else
            return hy_fail(err, HY_FAILED, "extent %u of dimension %u is no int32", in->dims[i], i);
    }
    step->params = hy_arena_copy(ctx->memory, &shape, 1, sizeof shape);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_shape_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct shape_step *shape = work->params;

    (void)err;
    memcpy(hy_call_output(work->call, 0)->data, &shape->extents, shape->bytes);
    return HY_OK;
}
