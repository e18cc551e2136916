#include "cpu_fallback/ops/ops.h"

#include <string.h>

/* RANK: the answer is known as soon as the shape is. */

HY_CPU_RESOLVE(hy_cpu_rank_resolve)
{
    int32_t rank = (int32_t)hy_call_input(site->call, 0)->shape.rank;

    step->params = hy_arena_copy(site->memory, &rank, 1, sizeof rank);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
}

HY_CPU_RUN(hy_cpu_rank_run)
{
    (void)err;
    memcpy(hy_call_output(work->call, 0)->data, work->params, sizeof(int32_t));
    return HY_OK;
}
