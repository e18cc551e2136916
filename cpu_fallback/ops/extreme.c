#include "cpu_fallback/ops/ops.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/indices.h"
#include "cpu_fallback/ops/lines.h"

struct arg_extreme_step {
    hy_arg_extreme_fn *kernel;
    struct hy_lines lines;
    size_t indices; /* in scratch */
};

enum hy_code hy_cpu_arg_extreme_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                        struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(site->call, 0);
    enum hy_arg_extreme op = step->op->kind;
    enum hy_element element = hy_cpu_element(in->type);
    bool last = false; /* whether the last of equal elements wins */
    uint32_t axis;

    enum hy_code code = hy_call_axis(site->call, 1, in->shape.rank, &axis, err);
    if (code == HY_OK && site->call->input_count > 2)
        code = hy_call_bool(site->call, 2, &last, err);
    if (code != HY_OK)
        return code;
    if (last)
        op = op == HY_ARG_MAX ? HY_ARG_MAX_LAST : HY_ARG_MIN_LAST;
    if (element == HY_ELEMENT_COUNT || !site->kernels->arg_extreme[op][element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    struct arg_extreme_step extreme = {.kernel = site->kernels->arg_extreme[op][element],
                                       .lines = hy_cpu_lines_along(&in->shape, axis)};
    if (!hy_cpu_indices_take(&step->scratch, hy_call_output(site->call, 0),
                             hy_lines_number(&extreme.lines), &extreme.indices))
        return hy_fail(err, HY_OUT_OF_MEMORY, "its scratch is too large");
    step->params = hy_arena_copy(site->memory, &extreme, 1, sizeof extreme);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
}

enum hy_code hy_cpu_arg_extreme_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct arg_extreme_step *extreme = work->params;
    const struct hy_value *out = hy_call_output(work->call, 0);

    (void)err;
    extreme->kernel(&extreme->lines, hy_call_input(work->call, 0)->data,
                    hy_cpu_indices_at(work, out, extreme->indices));
    hy_cpu_indices_store(work, out, extreme->indices, hy_lines_number(&extreme->lines));
    return HY_OK;
}

struct top_k_step {
    hy_top_k_fn *kernel;
    struct hy_top_k_params params;
    size_t indices; /* in scratch */
};

enum hy_code hy_cpu_top_k_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                  struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(site->call, 0);
    const struct hy_shape *out = &hy_call_output(site->call, 0)->shape;
    enum hy_element element = hy_cpu_element(in->type);
    uint32_t last = in->shape.rank - 1;
    bool smallest = false;

    if (site->call->input_count > 2) {
        const enum hy_code code = hy_call_bool(site->call, 2, &smallest, err);
        if (code != HY_OK)
            return code;
    }
    if (element == HY_ELEMENT_COUNT || !site->kernels->top_k[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    struct top_k_step top = {
        .kernel = site->kernels->top_k[element],
        .params = {.rows = hy_shape_span(&in->shape, 0, last),
                   .count = in->shape.dims[last],
                   .k = out->dims[last],
                   .first_of_equals = site->call->operation == HY_EXT_TOP_K,
                   .smallest = smallest},
    };
    if (!hy_cpu_indices_take(&step->scratch, hy_call_output(site->call, 1),
                             (uint64_t)top.params.rows * top.params.k, &top.indices))
        return hy_fail(err, HY_OUT_OF_MEMORY, "its scratch is too large");
    step->params = hy_arena_copy(site->memory, &top, 1, sizeof top);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
}

enum hy_code hy_cpu_top_k_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct top_k_step *top = work->params;
    const struct hy_value *indices = hy_call_output(work->call, 1);

    (void)err;
    top->kernel(&top->params, hy_call_input(work->call, 0)->data,
                hy_call_output(work->call, 0)->data,
                hy_cpu_indices_at(work, indices, top->indices));
    hy_cpu_indices_store(work, indices, top->indices, top->params.rows * top->params.k);
    return HY_OK;
}
