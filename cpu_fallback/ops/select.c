#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/byte_quant.h"
#include "cpu_fallback/ops/elements/elements.h"
#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/strided_copy.h"

/* A dimension of the output, or neighbouring dimensions with the same strides in all inputs. */
struct loop {
    size_t size;
    size_t strides[3]; /* per input, in elements; 0: broadcast */
};

struct select_step {
    hy_select_fn *kernel;
    struct hy_cpu_elements elements;
    struct hy_select_params params; /* per call: the count and the broadcast inputs */
    uint32_t rank;
    struct loop loops[HY_MAX_RANK]; /* innermost first; only `rank` are stored */
};

/* ---- The walk -------------------------------------------------------------------------------- */

static uint32_t extent_from_end(const struct hy_shape *shape, uint32_t i)
{
    return i < shape->rank ? shape->dims[shape->rank - 1 - i] : 1;
}

static void add_loop(struct select_step *select, const struct loop *loop)
{
    struct loop *last = select->rank > 0 ? &select->loops[select->rank - 1] : NULL;
    bool goes_on = last;

    for (int i = 0; goes_on && i < 3; i++)
        goes_on = loop->strides[i] == last->strides[i] * last->size;
    if (goes_on)
        last->size *= loop->size;
    else
        select->loops[select->rank++] = *loop;
}

static void plan_walk(const struct hy_call *call, struct select_step *select)
{
    const struct hy_shape *out = &hy_call_output(call, 0)->shape;
    size_t counts[3] = {1, 1, 1};

    for (uint32_t i = 0; i < out->rank; i++) {
        struct loop loop = {.size = extent_from_end(out, i)};
        for (uint32_t input = 0; input < 3; input++) {
            const uint32_t extent = extent_from_end(&hy_call_input(call, input)->shape, i);
            loop.strides[input] = extent == 1 ? 0 : counts[input];
            counts[input] *= extent;
        }
        if (loop.size != 1)
            add_loop(select, &loop);
    }
    if (select->rank == 0)
        select->loops[select->rank++].size = 1;
}

/* A row of the output, a run along the innermost loop: its indices in the other loops, and its
 * offsets in the inputs. */
struct row {
    size_t index[HY_MAX_RANK];
    size_t offsets[3];
};

static void move_along(const struct loop *loop, size_t steps, struct row *row)
{
    for (int input = 0; input < 3; input++)
        row->offsets[input] += steps * loop->strides[input];
}

static struct row row_at(const struct select_step *select, size_t number)
{
    struct row row = {0};

    for (uint32_t i = 1; i < select->rank; i++) {
        const struct loop *loop = &select->loops[i];
        row.index[i] = number % loop->size;
        move_along(loop, row.index[i], &row);
        number /= loop->size;
    }
    return row;
}

/* Advances without a division, because rows may be short. After the last row follows the first. */
static void advance(const struct select_step *select, struct row *row)
{
    for (uint32_t i = 1; i < select->rank; i++) {
        const struct loop *loop = &select->loops[i];
        move_along(loop, 1, row);
        if (++row->index[i] < loop->size)
            return;
        row->index[i] = 0;
        for (int input = 0; input < 3; input++)
            row->offsets[input] -= loop->size * loop->strides[input];
    }
}

/* ---- The operation --------------------------------------------------------------------------- */

enum hy_code hy_cpu_select_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                   struct hy_error *err)
{
    const struct hy_value *a = hy_call_input(ctx->call, 1);
    const struct hy_value *b = hy_call_input(ctx->call, 2);
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    struct select_step select = {
        .kernel = ctx->kernels->select[hy_cpu_element_size(a->type)],
        .elements = hy_cpu_elements_plan(ctx, hy_shape_span(&out->shape, 0, out->shape.rank),
                                         HY_CPU_ELEMENTS_PER_US, step),
    };
    enum hy_code code = HY_OK;

    plan_walk(ctx->call, &select);
    if (hy_operand_type_bytes(a->type) == 1) {
        code = hy_cpu_requantise_table(ctx->memory, a, out, &select.params.a_table, err);
        if (code == HY_OK)
            code = hy_cpu_requantise_table(ctx->memory, b, out, &select.params.b_table, err);
    }
    if (code != HY_OK)
        return code;
    step->params =
        hy_arena_copy(ctx->memory, &select, 1,
                      offsetof(struct select_step, loops) + select.rank * sizeof *select.loops);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

static const uint8_t *input_at(const struct hy_cpu_work *work, uint32_t input, size_t element)
{
    return hy_cpu_elements_at(hy_call_input(work->call, input), element);
}

static void run_elements(const struct hy_cpu_work *work, size_t first, size_t count)
{
    const struct select_step *select = work->params;
    const struct loop *inner = &select->loops[0];
    struct row row = row_at(select, count > 0 ? first / inner->size : 0);
    size_t at = count > 0 ? first % inner->size : 0; /* within the row */
    struct hy_select_params params = select->params;

    params.condition_repeats = inner->strides[0] == 0;
    params.a_repeats = inner->strides[1] == 0;
    params.b_repeats = inner->strides[2] == 0;
    for (const size_t end = first + count; first < end; first += params.count, at = 0) {
        params.count = inner->size - at < end - first ? inner->size - at : end - first;
        select->kernel(&params, input_at(work, 0, row.offsets[0] + at * inner->strides[0]),
                       input_at(work, 1, row.offsets[1] + at * inner->strides[1]),
                       input_at(work, 2, row.offsets[2] + at * inner->strides[2]),
                       hy_cpu_elements_at(hy_call_output(work->call, 0), first));
        advance(select, &row);
    }
}

enum hy_code hy_cpu_select_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct select_step *select = work->params;

    (void)err;
    hy_cpu_elements_run(work, &select->elements, run_elements);
    return HY_OK;
}
