#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/byte_quant.h"
#include "cpu_fallback/ops/elements/elements.h"
#include "cpu_fallback/ops/move.h"
#include "cpu_fallback/ops/ops.h"

struct select_step {
    hy_select_fn *kernel;
    struct hy_cpu_elements elements;
    struct hy_select_params params; /* count is 0: that of each call comes with it */
};

enum hy_code hy_cpu_select_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                   struct hy_error *err)
{
    const struct hy_value *a = hy_call_input(site->call, 1);
    const struct hy_value *b = hy_call_input(site->call, 2);
    const struct hy_value *out = hy_call_output(site->call, 0);

    struct select_step *select = hy_arena_alloc(site->memory, sizeof *select);
    if (!select)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    *select = (struct select_step){
        .kernel = site->kernels->select[hy_cpu_element_size(a->type)],
        .elements = hy_cpu_elements_plan(site, hy_shape_span(&out->shape, 0, out->shape.rank),
                                         HY_CPU_ELEMENTS_PER_US, step),
    };
    step->params = select;
    if (hy_operand_type_bytes(a->type) != 1)
        return HY_OK;
    enum hy_code code = hy_cpu_requantise_table(site->memory, a, out, &select->params.a_table, err);
    if (code == HY_OK)
        code = hy_cpu_requantise_table(site->memory, b, out, &select->params.b_table, err);
    return code;
}

static void run_elements(const struct hy_cpu_work *work, size_t first, size_t count)
{
    const struct select_step *select = work->params;
    struct hy_select_params params = select->params;

    params.count = count;
    select->kernel(&params, hy_cpu_elements_at(hy_call_input(work->call, 0), first),
                   hy_cpu_elements_at(hy_call_input(work->call, 1), first),
                   hy_cpu_elements_at(hy_call_input(work->call, 2), first),
                   hy_cpu_elements_at(hy_call_output(work->call, 0), first));
}

enum hy_code hy_cpu_select_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct select_step *select = work->params;

    (void)err;
    hy_cpu_elements_run(work, &select->elements, run_elements);
    return HY_OK;
}
