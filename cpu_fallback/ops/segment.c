#include "cpu_fallback/ops/ops.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/floats.h"
#include "cpu_fallback/ops/elements/to_float.h"

/* SEGMENT_SUM, with ascending segment ids whose last one gives the number of segments, and
 * UNSORTED_SEGMENT_*. */
struct segment_step {
    hy_segment_fn *kernel;
    struct hy_segment_params params;
    bool is_sorted;
    bool is_narrow;      /* float16 and bfloat16: sums are float32 in scratch */
    size_t ids, results; /* in scratch */
};

static enum hy_segment kind_of(int32_t operation)
{
    switch (operation) {
    case HY_EXT_UNSORTED_SEGMENT_PROD:
        return HY_SEGMENT_PROD;
    case HY_EXT_UNSORTED_SEGMENT_MAX:
        return HY_SEGMENT_MAX;
    case HY_EXT_UNSORTED_SEGMENT_MIN:
        return HY_SEGMENT_MIN;
    default:
        return HY_SEGMENT_SUM;
    }
}

enum hy_code hy_cpu_segment_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                    struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0), *ids = hy_call_input(ctx->call, 1);
    const struct hy_shape *out = &hy_call_output(ctx->call, 0)->shape;
    const enum hy_element element = hy_cpu_element(in->type);

    if (element == HY_ELEMENT_COUNT || !ctx->kernels->segment[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    struct segment_step segment = {
        .kernel = ctx->kernels->segment[element],
        .params = {.kind = kind_of(ctx->call->operation),
                   .rows = hy_shape_span(&ids->shape, 0, ids->shape.rank),
                   .length = hy_shape_span(&in->shape, ids->shape.rank, in->shape.rank),
                   .segments = out->dims[0]},
        .is_sorted = ctx->call->operation == HY_EXT_SEGMENT_SUM,
        .is_narrow = element == HY_ELEMENT_F16 || element == HY_ELEMENT_BF16,
    };
    if (!hy_cpu_copy_alloc(&step->scratch, ids, &segment.ids) ||
        (segment.is_narrow &&
         !hy_cpu_scratch_alloc_rows(&step->scratch, segment.params.segments, segment.params.length,
                                    sizeof(float), &segment.results)))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the scratch memory is too large");
    step->params = hy_arena_copy(ctx->memory, &segment, 1, sizeof segment);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

static enum hy_code check_ids(const struct segment_step *segment, const int32_t *ids,
                              struct hy_error *err)
{
    for (size_t i = 0; i < segment->params.rows; i++) {
        if (ids[i] >= 0 && (size_t)ids[i] >= segment->params.segments)
            return hy_fail(err, HY_FAILED, "row %zu is in segment %d of %zu", i, ids[i],
                           segment->params.segments);
        if (segment->is_sorted && ids[i] < (i > 0 ? ids[i - 1] : 0))
            return hy_fail(err, HY_FAILED, "row %zu is in segment %d, behind a row of segment %d",
                           i, ids[i], i > 0 ? ids[i - 1] : 0);
    }
    return HY_OK;
}

enum hy_code hy_cpu_segment_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct segment_step *segment = work->params;
    struct hy_segment_params params = segment->params;
    struct hy_value *out = hy_call_output(work->call, 0);
    const int32_t *ids =
        hy_cpu_copy_load(hy_call_input(work->call, 1), work->scratch + segment->ids);

    const enum hy_code code = check_ids(segment, ids, err);
    if (code != HY_OK)
        return code;
    if (segment->is_sorted)
        out->shape.dims[0] = (uint32_t)ids[params.rows - 1] + 1;
    params.segments = out->shape.dims[0];
    segment->kernel(&params, ids, hy_call_input(work->call, 0)->data,
                    segment->is_narrow ? work->scratch + segment->results : out->data, out->data);
    return HY_OK;
}
