#include "cpu_fallback/ops/ops.h"

#include "common/operand_type.h"

struct add_step {
    hy_add_fn *kernel;
    struct hy_add_params params;
};

HY_CPU_RESOLVE(hy_cpu_add_resolve)
{
    const struct hy_value *a = hy_call_input(site->call, 0);
    const struct hy_value *b = hy_call_input(site->call, 1);
    const struct hy_value *out = hy_call_output(site->call, 0);
    enum hy_element element = hy_cpu_element(a->type);
    int32_t activation;

    if (element == HY_ELEMENT_COUNT || !site->kernels->add[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(a->type));
    enum hy_code code = hy_call_activation(site->call, 2, &activation, err);
    if (code != HY_OK)
        return code;

    struct add_step *add = hy_arena_alloc(site->memory, sizeof *add);
    if (!add)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    *add = (struct add_step){
        .kernel = site->kernels->add[element],
        .params =
            {
                .activation =
                    hy_activation_bounds(activation, element, out->scale, out->zero_point),
                .a_zero_point = a->zero_point,
                .b_zero_point = b->zero_point,
                .out_zero_point = out->zero_point,
            },
    };
    if (element == HY_ELEMENT_U8 || element == HY_ELEMENT_S8)
        hy_add_set_scales(&add->params, a->scale, b->scale, out->scale);
    if (!hy_broadcast_init(a->shape.rank, a->shape.dims, b->shape.rank, b->shape.dims,
                           &add->params.shape))
        return hy_fail(err, HY_FAILED, "the inputs do not broadcast");
    step->params = add;
    return HY_OK;
}

HY_CPU_RUN(hy_cpu_add_run)
{
    const struct add_step *add = work->params;

    (void)err;
    add->kernel(&add->params, hy_call_input(work->call, 0)->data,
                hy_call_input(work->call, 1)->data, hy_call_output(work->call, 0)->data);
    return HY_OK;
}
