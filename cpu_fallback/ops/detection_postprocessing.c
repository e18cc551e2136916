#include "cpu_fallback/ops/ops.h"

#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/kernels/detection.h"
#include "cpu_fallback/ops/detections.h"
#include "cpu_fallback/ops/elements/to_float.h"

struct post_step {
    struct hy_postprocessing read;
    uint32_t deltas, anchors; /* operands */
    size_t scores;            /* in scratch */
    size_t candidates, ranking, found, boxes;
};

enum hy_code hy_cpu_detection_postprocessing_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                                     struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_call *call = ctx->call;
    struct post_step post = {
        .deltas = hy_cpu_resolve_ctx_stored(ctx, 1),
        .anchors = hy_cpu_resolve_ctx_stored(ctx, 2),
    };

    enum hy_code code = hy_postprocessing_read(call, &post.read, err);
    if (code != HY_OK)
        return code;
    const uint64_t most = hy_detection_postprocessing_capacity(&post.read);
    if (!hy_cpu_to_float_view_alloc(&step->scratch, hy_call_input(call, 0), &post.scores) ||
        !hy_cpu_detections_alloc(&step->scratch, post.read.anchors, &post.candidates) ||
        !hy_cpu_detections_alloc(&step->scratch, post.read.classes, &post.ranking) ||
        !hy_cpu_detections_alloc(&step->scratch, most, &post.found) ||
        !hy_cpu_boxes_alloc(&step->scratch, most, &post.boxes))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the tensors are too large");
    step->params = hy_arena_copy(ctx->memory, &post, 1, sizeof post);
    if (!step->params)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    return HY_OK;
}

/* Rows without a detection are zero. */
static void clear_outputs(const struct hy_call *call)
{
    for (uint32_t i = 0; i < call->output_count; i++) {
        const struct hy_value *out = hy_call_output(call, i);
        size_t count = hy_shape_span(&out->shape, 0, out->shape.rank);
        memset(out->data, 0, count * hy_operand_type_bytes(out->type));
    }
}

static void store_image(const struct hy_postprocessing *read, const struct hy_call *call,
                        uint32_t image, const struct hy_box *boxes,
                        const struct hy_detection *found, size_t count)
{
    size_t first = (size_t)image * read->rows;
    int32_t *labels = hy_call_output(call, 2)->data, *counts = hy_call_output(call, 3)->data;

    hy_cpu_detections_store(call, first, boxes, found, count);
    for (size_t i = 0; i < count; i++)
        labels[first + i] = (int32_t)found[i].label - !read->counts_background;
    counts[image] = (int32_t)count;
}

/* Rows of `length` numbers of an operand, from row `first` on. */
static struct hy_stored_rows rows_of(const struct hy_call *call, uint32_t operand, uint32_t length,
                                     size_t first)
{
    const struct hy_value *value = &call->values[operand];
    const uint32_t size = hy_operand_type_bytes(value->type);

    return (struct hy_stored_rows){
        .values = (const uint8_t *)value->data + first * length * size,
        .element = hy_cpu_element(value->type),
        .element_size = size,
        .length = length,
        .scale = value->scale,
        .zero_point = value->zero_point,
    };
}

enum hy_code hy_cpu_detection_postprocessing_run(const struct hy_cpu_work *work,
                                                 struct hy_error *err)
{
    const struct post_step *post = work->params;
    const struct hy_postprocessing *read = &post->read;
    const struct hy_call *call = work->call;
    uint8_t *scratch = work->scratch;
    const float *scores = hy_cpu_to_float_view(hy_call_input(call, 0), scratch + post->scores);
    const struct hy_stored_rows anchors = rows_of(call, post->anchors, 4, 0);
    const struct hy_postprocessing_lists lists = {
        .candidates = (void *)(scratch + post->candidates),
        .ranking = (void *)(scratch + post->ranking),
        .found = (void *)(scratch + post->found),
        .boxes = (void *)(scratch + post->boxes),
    };

    (void)err;
    clear_outputs(call);
    for (uint32_t n = 0; n < read->images; n++) {
        size_t first = (size_t)n * read->anchors;
        const struct hy_stored_rows deltas = rows_of(call, post->deltas, read->delta_length, first);
        size_t count = hy_detection_postprocessing(read, scores + first * read->classes, &deltas,
                                                   &anchors, &lists);
        store_image(read, call, n, lists.boxes, lists.found, count);
    }
    return HY_OK;
}
