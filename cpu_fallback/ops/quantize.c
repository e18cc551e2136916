#include "cpu_fallback/ops/ops.h"

#include "common/operand_type.h"

struct quantize_step {
    hy_quantize_fn *kernel;
    struct hy_quantize_params params;
};

HY_CPU_RESOLVE(hy_cpu_quantize_resolve)
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
                .count = hy_shape_span(&in->shape, 0, in->shape.rank),
                .scale = out->scale,
                .zero_point = out->zero_point,
            },
    };
    step->params = quantize;
    return HY_OK;
}

HY_CPU_RUN(hy_cpu_quantize_run)
{
    const struct quantize_step *quantize = work->params;

    (void)err;
    quantize->kernel(&quantize->params, hy_call_input(work->call, 0)->data,
                     hy_call_output(work->call, 0)->data);
    return HY_OK;
}
