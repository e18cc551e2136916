#include "cpu_fallback/ops/ops.h"

#include "common/infer_reduce.h"
#include "common/operand_type.h"
#include "common/operation.h"

/* MEAN and REDUCE_ALL ... REDUCE_SUM. */
struct reduce_step {
    hy_reduce_fn *kernel;
    struct hy_reduce_params params;
};

static enum hy_reduce reduce_of(int32_t operation)
{
    switch (operation) {
    case HY_OP_REDUCE_ALL:
        return HY_REDUCE_ALL;
    case HY_OP_REDUCE_ANY:
        return HY_REDUCE_ANY;
    case HY_OP_REDUCE_MAX:
        return HY_REDUCE_MAX;
    case HY_OP_REDUCE_MIN:
        return HY_REDUCE_MIN;
    case HY_OP_REDUCE_PROD:
        return HY_REDUCE_PROD;
    case HY_OP_REDUCE_SUM:
        return HY_REDUCE_SUM;
    default:
        return HY_REDUCE_MEAN;
    }
}

HY_CPU_RESOLVE(hy_cpu_reduce_resolve)
{
    const struct hy_value *in = hy_call_input(site->call, 0);
    enum hy_reduce op = reduce_of(site->call->operation);
    enum hy_element element = hy_cpu_element(in->type);
    struct hy_reduction read;

    if (element == HY_ELEMENT_COUNT || !site->kernels->reduce[op][element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    enum hy_code code = hy_reduction_read(site->call, &read, err);
    if (code != HY_OK)
        return code;

    struct reduce_step *reduce = hy_arena_alloc(site->memory, sizeof *reduce);
    if (!reduce)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    reduce->kernel = site->kernels->reduce[op][element];
    hy_reduce_set_walks(&reduce->params, in->shape.rank, in->shape.dims, read.axes);
    step->params = reduce;
    return HY_OK;
}

HY_CPU_RUN(hy_cpu_reduce_run)
{
    const struct reduce_step *reduce = work->params;

    (void)err;
    reduce->kernel(&reduce->params, hy_call_input(work->call, 0)->data,
                   hy_call_output(work->call, 0)->data);
    return HY_OK;
}
