#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/byte_quant.h"
#include "cpu_fallback/ops/elements/elements.h"
#include "cpu_fallback/ops/move.h"
#include "cpu_fallback/ops/ops.h"

/* One dimension of the output, or neighbouring ones that all inputs walk alike. */
struct loop {
    size_t size;
    size_t strides[3]; /* of the inputs, in elements; 0: repeated */
};

struct select_step {
    hy_select_fn *kernel;
    struct hy_cpu_elements elements;
    struct hy_select_params params; /* of each call: the count and what repeats */
    uint32_t rank;
    struct loop loops[HY_MAX_RANK]; /* the innermost first; those past the rank are left out */
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

/* Where element `at` of the output finds its elements in the inputs. */
static void find_offsets(const struct select_step *select, size_t at, size_t offsets[3])
{
    memset(offsets, 0, 3 * sizeof *offsets);
    for (uint32_t i = 0; i < select->rank; i++) {
        const struct loop *loop = &select->loops[i];
        for (int input = 0; input < 3; input++)
            offsets[input] += at % loop->size * loop->strides[input];
        at /= loop->size;
    }
}

/* ---- The operation --------------------------------------------------------------------------- */

enum hy_code hy_cpu_select_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                   struct hy_error *err)
{
    const struct hy_value *a = hy_call_input(site->call, 1);
    const struct hy_value *b = hy_call_input(site->call, 2);
    const struct hy_value *out = hy_call_output(site->call, 0);
    struct select_step select = {
        .kernel = site->kernels->select[hy_cpu_element_size(a->type)],
        .elements = hy_cpu_elements_plan(site, hy_shape_span(&out->shape, 0, out->shape.rank),
                                         HY_CPU_ELEMENTS_PER_US, step),
    };
    enum hy_code code = HY_OK;

    plan_walk(site->call, &select);
    if (hy_operand_type_bytes(a->type) == 1) {
        code = hy_cpu_requantise_table(site->memory, a, out, &select.params.a_table, err);
        if (code == HY_OK)
            code = hy_cpu_requantise_table(site->memory, b, out, &select.params.b_table, err);
    }
    if (code != HY_OK)
        return code;
    step->params =
        hy_arena_copy(site->memory, &select, 1,
                      offsetof(struct select_step, loops) + select.rank * sizeof *select.loops);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
}

static void run_elements(const struct hy_cpu_work *work, size_t first, size_t count)
{
    const struct select_step *select = work->params;
    const struct loop *row = &select->loops[0];
    struct hy_select_params params = select->params;

    params.condition_repeats = row->strides[0] == 0;
    params.a_repeats = row->strides[1] == 0;
    params.b_repeats = row->strides[2] == 0;
    for (const size_t end = first + count; first < end; first += params.count) {
        const size_t left = row->size - first % row->size;
        size_t offsets[3];

        find_offsets(select, first, offsets);
        params.count = left < end - first ? left : end - first;
        select->kernel(&params, hy_cpu_elements_at(hy_call_input(work->call, 0), offsets[0]),
                       hy_cpu_elements_at(hy_call_input(work->call, 1), offsets[1]),
                       hy_cpu_elements_at(hy_call_input(work->call, 2), offsets[2]),
                       hy_cpu_elements_at(hy_call_output(work->call, 0), first));
    }
}

enum hy_code hy_cpu_select_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct select_step *select = work->params;

    (void)err;
    hy_cpu_elements_run(work, &select->elements, run_elements);
    return HY_OK;
}
