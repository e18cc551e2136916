#include "cpu_fallback/ops/ops.h"

#include "common/inference/infer_detection.h"
#include "cpu_fallback/kernels/box.h"
#include "cpu_fallback/ops/elements/to_float.h"

struct transform_step {
    struct hy_bbox_transform read;
    size_t boxes, deltas, extents, results; /* in scratch */
};

enum hy_code hy_cpu_bbox_transform_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                           struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_call *call = ctx->call;
    struct transform_step transform = {0};

    enum hy_code code = hy_bbox_transform_read(call, &transform.read, err);
    if (code != HY_OK)
        return code;
    if (!hy_cpu_to_float_alloc(&step->scratch, hy_call_input(call, 0), &transform.boxes) ||
        !hy_cpu_to_float_alloc(&step->scratch, hy_call_input(call, 1), &transform.deltas) ||
        !hy_cpu_to_float_alloc(&step->scratch, hy_call_input(call, 3), &transform.extents) ||
        !hy_cpu_to_float_alloc(&step->scratch, hy_call_output(call, 0), &transform.results))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the tensors are too large");
    step->params = hy_arena_copy(ctx->memory, &transform, 1, sizeof transform);
    if (!step->params)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    return HY_OK;
}

/* All classes of one region. */
static enum hy_code transform_region(const struct hy_bbox_transform *read, uint32_t region,
                                     const struct hy_box *box, int32_t image,
                                     const struct hy_image_extent *extents,
                                     const struct hy_box_delta *deltas, struct hy_box *results,
                                     struct hy_error *err)
{
    if (image < 0 || (uint32_t)image >= read->images)
        return hy_fail(err, HY_FAILED, "region %u is in image %d of %u", region, image,
                       read->images);
    if (!hy_box_is_ordered(box))
        return hy_fail(err, HY_FAILED, "region %u is from (%g, %g) to (%g, %g)", region,
                       (double)box->x1, (double)box->y1, (double)box->x2, (double)box->y2);
    for (uint32_t k = 0; k < read->classes; k++)
        results[k] = hy_box_transform(box, &deltas[k], &extents[image]);
    return HY_OK;
}

enum hy_code hy_cpu_bbox_transform_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct transform_step *transform = work->params;
    const struct hy_bbox_transform *read = &transform->read;
    const struct hy_call *call = work->call;
    uint8_t *scratch = work->scratch;
    const void *boxes = hy_cpu_to_float_load(hy_call_input(call, 0), scratch + transform->boxes);
    const void *deltas = hy_cpu_to_float_load(hy_call_input(call, 1), scratch + transform->deltas);
    const void *extents =
        hy_cpu_to_float_load(hy_call_input(call, 3), scratch + transform->extents);
    const int32_t *images = hy_call_input(call, 2)->data;
    struct hy_box *results = (void *)(scratch + transform->results);
    enum hy_code code = HY_OK;

    for (uint32_t r = 0; r < read->regions && code == HY_OK; r++) {
        int32_t image = *(const volatile int32_t *)&images[r]; /* read once, then checked */
        size_t first = (size_t)r * read->classes;
        code = transform_region(read, r, (const struct hy_box *)boxes + r, image, extents,
                                (const struct hy_box_delta *)deltas + first, results + first, err);
    }
    if (code == HY_OK)
        hy_cpu_to_float_store(hy_call_output(call, 0), 0, (size_t)4 * read->regions * read->classes,
                              (const float *)results);
    return code;
}
