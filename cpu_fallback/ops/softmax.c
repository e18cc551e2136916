#include "cpu_fallback/ops/ops.h"

#include "common/infer_softmax.h"
#include "common/operand_type.h"

struct softmax_step {
    hy_softmax_fn *kernel;
    struct hy_softmax_params params;
    float exp_table[HY_SOFTMAX_TABLE_SIZE];
};

HY_CPU_RESOLVE(hy_cpu_softmax_resolve)
{
    const struct hy_value *in = hy_call_input(site->call, 0);
    const struct hy_shape *shape = &in->shape;
    enum hy_element element = hy_cpu_element(in->type);
    struct hy_softmax read;

    if (element == HY_ELEMENT_COUNT || !site->kernels->softmax[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    enum hy_code code = hy_softmax_read(site->call, &read, err);
    if (code != HY_OK)
        return code;

    struct softmax_step *softmax = hy_arena_alloc(site->memory, sizeof *softmax);
    if (!softmax)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    softmax->kernel = site->kernels->softmax[element];
    softmax->params = (struct hy_softmax_params){
        .outer = hy_shape_span(shape, 0, read.axis),
        .count = shape->dims[read.axis],
        .inner = hy_shape_span(shape, read.axis + 1, shape->rank),
        .beta = read.beta,
        .exp_table = softmax->exp_table,
    };
    hy_softmax_fill_table(in->scale, read.beta, softmax->exp_table);
    step->params = softmax;
    return HY_OK;
}

HY_CPU_RUN(hy_cpu_softmax_run)
{
    const struct softmax_step *softmax = work->params;

    (void)err;
    softmax->kernel(&softmax->params, hy_call_input(work->call, 0)->data,
                    hy_call_output(work->call, 0)->data);
    return HY_OK;
}
