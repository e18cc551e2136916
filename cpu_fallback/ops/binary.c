#include "cpu_fallback/ops/ops.h"

#include <assert.h>

#include "common/operand_type.h"
#include "common/operation.h"
#include "cpu_fallback/ops/byte_quant.h"

struct binary_step {
    hy_binary_fn *kernel;
    struct hy_binary_params params;
};

static const enum hy_binary kernels[] = {
    [HY_OP_ADD] = HY_BINARY_ADD,
    [HY_OP_DIV] = HY_BINARY_DIV,
    [HY_OP_EQUAL] = HY_BINARY_EQUAL,
    [HY_OP_GREATER] = HY_BINARY_GREATER,
    [HY_OP_GREATER_EQUAL] = HY_BINARY_GREATER_EQUAL,
    [HY_OP_LESS] = HY_BINARY_LESS,
    [HY_OP_LESS_EQUAL] = HY_BINARY_LESS_EQUAL,
    [HY_OP_LOGICAL_AND] = HY_BINARY_AND,
    [HY_OP_LOGICAL_OR] = HY_BINARY_OR,
    [HY_OP_MAXIMUM] = HY_BINARY_MAXIMUM,
    [HY_OP_MINIMUM] = HY_BINARY_MINIMUM,
    [HY_OP_MUL] = HY_BINARY_MUL,
    [HY_OP_NOT_EQUAL] = HY_BINARY_NOT_EQUAL,
    [HY_OP_POW] = HY_BINARY_POW,
    [HY_OP_PRELU] = HY_BINARY_PRELU,
    [HY_OP_SUB] = HY_BINARY_SUB,
};

/* Nearly all walks need one or two loops of the sixteen there may be, and models have many steps.
 */
static size_t used_size(const struct binary_step *binary)
{
    return offsetof(struct binary_step, params.shape.loops) +
           binary->params.shape.rank * sizeof binary->params.shape.loops[0];
}

static_assert(HY_BROADCAST_RANK >= HY_MAX_RANK, "any two shapes must have their walk");

/* What only quantised kernels look at. */
static enum hy_code set_quantisation(const struct hy_cpu_site *site, enum hy_binary op,
                                     struct hy_binary_params *params, struct hy_error *err)
{
    const struct hy_value *a = hy_call_input(site->call, 0);
    const struct hy_value *b = hy_call_input(site->call, 1);
    const struct hy_value *out = hy_call_output(site->call, 0);

    params->a_zero_point = a->zero_point;
    params->b_zero_point = b->zero_point;
    params->out_zero_point = out->zero_point;
    hy_binary_set_scales(params, op, a->scale, b->scale, out->scale);
    if (op != HY_BINARY_MAXIMUM && op != HY_BINARY_MINIMUM)
        return HY_OK;
    params->a_table = hy_cpu_requantise_table(site->memory, a, out);
    params->b_table = hy_cpu_requantise_table(site->memory, b, out);
    if (!params->a_table || !params->b_table)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its tables");
    return HY_OK;
}

static enum hy_code set_params(const struct hy_cpu_site *site, enum hy_element element,
                               enum hy_binary op, struct hy_binary_params *params,
                               struct hy_error *err)
{
    const struct hy_value *a = hy_call_input(site->call, 0);
    const struct hy_value *b = hy_call_input(site->call, 1);
    const struct hy_value *out = hy_call_output(site->call, 0);
    int32_t activation = 0;
    enum hy_code code = HY_OK;

    if (!hy_broadcast_init(a->shape.rank, a->shape.dims, b->shape.rank, b->shape.dims,
                           &params->shape))
        return hy_fail(err, HY_FAILED, "the inputs do not broadcast");
    if (site->call->input_count > 2)
        code = hy_call_activation(site->call, 2, &activation, err);
    if (code != HY_OK)
        return code;
    params->activation = hy_activation_bounds(activation, element, out->scale, out->zero_point);
    return hy_cpu_is_byte_quant(element) ? set_quantisation(site, op, params, err) : HY_OK;
}

HY_CPU_RESOLVE(hy_cpu_binary_resolve)
{
    int32_t type = hy_call_input(site->call, 0)->type;
    enum hy_element element = hy_cpu_element(type);
    enum hy_binary op = kernels[site->call->operation];

    if (element == HY_ELEMENT_COUNT || !site->kernels->binary[op][element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(type));
    struct binary_step binary = {.kernel = site->kernels->binary[op][element]};
    enum hy_code code = set_params(site, element, op, &binary.params, err);
    if (code != HY_OK)
        return code;
    step->params = hy_arena_copy(site->memory, &binary, 1, used_size(&binary));
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
}

HY_CPU_RUN(hy_cpu_binary_run)
{
    const struct binary_step *binary = work->params;

    (void)err;
    binary->kernel(&binary->params, hy_call_input(work->call, 0)->data,
                   hy_call_input(work->call, 1)->data, hy_call_output(work->call, 0)->data);
    return HY_OK;
}
