#include "common/inference/infer_matmul.h"
#include "common/inference/infer_rules.h"
#include "common/operations/operation.h"

/* Compares the extents before the last two, for the NNAPI operation. */
static bool batches_agree(const struct hy_shape *lhs, const struct hy_shape *rhs)
{
    if (lhs->rank != rhs->rank)
        return false;
    for (uint32_t i = 0; i + 2 < lhs->rank; i++) {
        if (rhs->dims[i] != lhs->dims[i] && rhs->dims[i] != 1)
            return false;
    }
    return true;
}

/* The extents before the last two, aligned at the last: equal, or 1 on either side. */
static bool broadcast_batches(const struct hy_shape *lhs, const struct hy_shape *rhs,
                              struct hy_shape *out)
{
    out->rank = lhs->rank > rhs->rank ? lhs->rank : rhs->rank;
    for (uint32_t i = 3; i <= out->rank; i++) { /* from the end */
        const uint32_t a = i <= lhs->rank ? lhs->dims[lhs->rank - i] : 1;
        const uint32_t b = i <= rhs->rank ? rhs->dims[rhs->rank - i] : 1;
        if (a != b && a != 1 && b != 1)
            return false;
        out->dims[out->rank - i] = a == 1 ? b : a;
    }
    return true;
}

/* Computes the output extents before the last two. */
static enum hy_code check_sizes(const struct hy_call *call, struct hy_batch_matmul *read,
                                uint32_t rhs_depth, struct hy_error *err)
{
    const struct hy_shape *lhs = &hy_call_input(call, 0)->shape;
    const struct hy_shape *rhs = &hy_call_input(call, 1)->shape;
    const bool agree = call->operation != HY_OP_BATCH_MATMUL || batches_agree(lhs, rhs);
    char lhs_text[HY_SHAPE_TEXT_SIZE], rhs_text[HY_SHAPE_TEXT_SIZE];

    if (read->depth != rhs_depth || !agree || !broadcast_batches(lhs, rhs, &read->out))
        return hy_fail(err, HY_FAILED, "inputs of shapes %s and %s%s%s do not multiply",
                       hy_shape_text(lhs, lhs_text), hy_shape_text(rhs, rhs_text),
                       read->lhs_adjoint ? ", the first transposed" : "",
                       read->rhs_adjoint ? ", the second transposed" : "");
    if (read->rows == 0 || read->depth == 0 || read->columns == 0)
        return hy_fail(err, HY_FAILED, "matrices of %u * %u * %u are empty", read->rows,
                       read->depth, read->columns);
    return HY_OK;
}

enum hy_code hy_batch_matmul_read(const struct hy_call *call, struct hy_batch_matmul *matmul,
                                  struct hy_error *err)
{
    const uint32_t most = call->operation == HY_OP_BATCH_MATMUL ? 4 : HY_MAX_RANK;
    struct hy_batch_matmul read = {0};

    enum hy_code code = hy_call_check_rank(call, 0, 2, most, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, 1, 2, most, err);
    if (code == HY_OK)
        code = hy_call_bool(call, 2, &read.lhs_adjoint, err);
    if (code == HY_OK)
        code = hy_call_bool(call, 3, &read.rhs_adjoint, err);
    if (code != HY_OK)
        return code;

    const struct hy_shape *lhs = &hy_call_input(call, 0)->shape;
    const struct hy_shape *rhs = &hy_call_input(call, 1)->shape;
    const uint32_t *l = lhs->dims + lhs->rank - 2, *r = rhs->dims + rhs->rank - 2;
    read.rows = l[read.lhs_adjoint];
    read.depth = l[!read.lhs_adjoint];
    read.columns = r[!read.rhs_adjoint];
    code = check_sizes(call, &read, r[read.rhs_adjoint], err);
    if (code != HY_OK)
        return code;
    read.out.dims[read.out.rank - 2] = read.rows;
    read.out.dims[read.out.rank - 1] = read.columns;
    *matmul = read;
    return HY_OK;
}

enum hy_code hy_infer_batch_matmul(const struct hy_call *call, struct hy_shape *outputs,
                                   struct hy_error *err)
{
    struct hy_batch_matmul matmul;
    enum hy_code code = hy_batch_matmul_read(call, &matmul, err);

    if (code == HY_OK)
        outputs[0] = matmul.out;
    return code;
}
