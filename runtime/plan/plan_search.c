#include "runtime/plan/plan_search.h"

#include "runtime/plan/alloc.h"

#include <stdlib.h>

enum hy_code hy_plan_search_create(uint32_t device_count, uint32_t operation_count,
                                   struct hy_plan_search **ret, struct hy_error *err)
{
    struct hy_plan_search *search = calloc(1, sizeof *search);
    size_t cells;

    if (search && hy_mul_size(device_count, operation_count, &cells))
        search->times = hy_plan_alloc(&search->arena, cells, sizeof *search->times);
    if (!search || !search->times) {
        hy_plan_search_destroy(search);
        return hy_fail(err, HY_OUT_OF_MEMORY, "times of %u devices and %u operations", device_count,
                       operation_count);
    }
    *ret = search;
    return HY_OK;
}

void hy_plan_search_destroy(struct hy_plan_search *search)
{
    if (!search)
        return;
    hy_arena_finish(&search->arena);
    free(search);
}

enum hy_code hy_plan_search_need_flow(struct hy_plan_search *search,
                                      const struct hy_subgraph *graph, struct hy_error *err)
{
    if (search->flow.writer)
        return HY_OK;
    return hy_flow_make(graph, &search->arena, &search->flow, err);
}
