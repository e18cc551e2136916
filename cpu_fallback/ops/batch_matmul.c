#include "cpu_fallback/ops/ops.h"

#include "common/infer_matmul.h"
#include "common/operand_type.h"

struct matmul_step {
    hy_matmul_fn *kernel;
    struct hy_matmul_params params;
};

/* The extent of dimension `index` of the two before the matrices; 1 where the rank is lower. */
static uint32_t batch_extent(const struct hy_shape *shape, uint32_t index)
{
    return index + shape->rank < 4 ? 1 : shape->dims[index + shape->rank - 4];
}

/* How one side lies in memory; an extent of 1 is repeated. */
static struct hy_matmul_side side_of(const struct hy_shape *shape, bool adjoint)
{
    size_t rows = shape->dims[shape->rank - 2], columns = shape->dims[shape->rank - 1];
    struct hy_matmul_side side = {.row_stride = adjoint ? 1 : columns,
                                  .column_stride = adjoint ? columns : 1};
    uint32_t outer = batch_extent(shape, 0), inner = batch_extent(shape, 1);

    if (inner > 1)
        side.batch_strides[1] = rows * columns;
    if (outer > 1)
        side.batch_strides[0] = rows * columns * inner;
    return side;
}

static struct hy_matmul_params matmul_params(const struct hy_call *call,
                                             const struct hy_batch_matmul *read)
{
    const struct hy_value *lhs = hy_call_input(call, 0), *rhs = hy_call_input(call, 1);
    const struct hy_value *out = hy_call_output(call, 0);

    return (struct hy_matmul_params){
        .batch = {batch_extent(&lhs->shape, 0), batch_extent(&lhs->shape, 1)},
        .rows = read->rows,
        .depth = read->depth,
        .columns = read->columns,
        .lhs = side_of(&lhs->shape, read->lhs_adjoint),
        .rhs = side_of(&rhs->shape, read->rhs_adjoint),
        .lhs_zero_point = lhs->zero_point,
        .rhs_zero_point = rhs->zero_point,
        .out_zero_point = out->zero_point,
    };
}

HY_CPU_RESOLVE(hy_cpu_batch_matmul_resolve)
{
    const struct hy_value *lhs = hy_call_input(site->call, 0), *rhs = hy_call_input(site->call, 1);
    enum hy_element element = hy_cpu_element(lhs->type);
    struct hy_batch_matmul read;

    if (element == HY_ELEMENT_COUNT || !site->kernels->matmul[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(lhs->type));
    enum hy_code code = hy_batch_matmul_read(site->call, &read, err);
    if (code != HY_OK)
        return code;

    struct matmul_step *matmul = hy_arena_alloc(site->memory, sizeof *matmul);
    if (!matmul)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    matmul->kernel = site->kernels->matmul[element];
    matmul->params = matmul_params(site->call, &read);
    if (element == HY_ELEMENT_S8)
        matmul->params.multiplier =
            hy_multiplier_for_product(lhs->scale, rhs->scale, hy_call_output(site->call, 0)->scale);
    step->params = matmul;
    return HY_OK;
}

HY_CPU_RUN(hy_cpu_batch_matmul_run)
{
    const struct matmul_step *matmul = work->params;

    (void)err;
    matmul->kernel(&matmul->params, hy_call_input(work->call, 0)->data,
                   hy_call_input(work->call, 1)->data, hy_call_output(work->call, 0)->data);
    return HY_OK;
}
