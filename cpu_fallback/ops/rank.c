#include "cpu_fallback/ops/ops.h"

#include <string.h>

/* RANK: the result depends only on the shape. */

enum hy_code hy_cpu_rank_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                 struct hy_error *err)
{
    int32_t rank = (int32_t)hy_call_input(ctx->call, 0)->shape.rank;

    step->params = hy_arena_copy(ctx->memory, &rank, 1, sizeof rank);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_rank_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    (void)err;
    memcpy(hy_call_output(work->call, 0)->data, work->params, sizeof(int32_t));
    return HY_OK;
}
