#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/elements.h"
#include "cpu_fallback/ops/ops.h"

struct quantize_step {
    hy_quantize_fn *kernel;
    struct hy_cpu_elements elements;
    struct hy_quantize_params params; /* count is 0: that of each call comes with it */
};

enum hy_code hy_cpu_quantize_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                     struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(site->call, 0);
    const struct hy_value *out = hy_call_output(site->call, 0);
    enum hy_element from = hy_cpu_element(in->type), to = hy_cpu_element(out->type);

    if (from == HY_ELEMENT_COUNT || to == HY_ELEMENT_COUNT || !site->kernels->quantize[from][to])
        return hy_fail(err, HY_FAILED, "no kernel from %s to %s", hy_operand_type_name(in->type),
                       hy_operand_type_name(out->type));
    struct quantize_step *quantize = hy_arena_alloc(site->memory, sizeof *quantize);
    if (!quantize)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    *quantize = (struct quantize_step){
        .kernel = site->kernels->quantize[from][to],
        .params =
            {
                .scale = out->scale,
                .zero_point = out->zero_point,
            },
    };
    quantize->elements = hy_cpu_elements_plan(site, hy_shape_span(&in->shape, 0, in->shape.rank),
                                              HY_CPU_ELEMENTS_PER_US, step);
    step->params = quantize;
    return HY_OK;
}

static void run_elements(const struct hy_cpu_work *work, size_t first, size_t count)
{
    const struct quantize_step *quantize = work->params;
    struct hy_quantize_params params = quantize->params;

    params.count = count;
    quantize->kernel(&params, hy_cpu_elements_at(hy_call_input(work->call, 0), first),
                     hy_cpu_elements_at(hy_call_output(work->call, 0), first));
}

enum hy_code hy_cpu_quantize_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct quantize_step *quantize = work->params;

    (void)err;
    hy_cpu_elements_run(work, &quantize->elements, run_elements);
    return HY_OK;
}
