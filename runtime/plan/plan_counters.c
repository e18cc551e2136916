#include "runtime/plan/plan_counters.h"

#include "runtime/plan/alloc.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/search/flow.h"

enum hy_code hy_plan_counters_create(const struct hy_plan *plan, struct hy_arena *arena,
                                     struct hy_plan_counters **ret, struct hy_error *err)
{
    struct hy_plan_counters *counters = hy_plan_alloc(arena, 1, sizeof *counters);
    if (counters) {
        counters->steps = hy_plan_alloc(arena, plan->step_count, sizeof *counters->steps);
        counters->capacities =
            hy_plan_alloc(arena, plan->tensor_count, sizeof *counters->capacities);
    }
    if (!counters || !counters->steps || !counters->capacities)
        return hy_fail(err, HY_OUT_OF_MEMORY, "counters of %u steps", plan->step_count);

    counters->capacity_limit = HY_BOUNDARY_LIMIT;
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        const uint64_t bytes = plan->tensors[i].bytes;
        atomic_init(&counters->capacities[i], bytes == 0 ? HY_UNKNOWN_BYTES : bytes);
    }
    pthread_mutex_init(&counters->fallback_lock, NULL);
    *ret = counters;
    return HY_OK;
}

/* Adds half if an earlier guess was wrong, as the size will probably change again. */
static uint64_t grown_capacity(const struct hy_plan_counters *counters, uint64_t seen,
                               uint64_t need)
{
    const uint64_t capacity = seen == HY_UNKNOWN_BYTES ? need : need + need / 2;
    return hy_boundary_round(capacity < counters->capacity_limit ? capacity
                                                                 : counters->capacity_limit);
}

void hy_plan_counters_note_need(struct hy_plan_counters *counters, uint32_t tensor, uint64_t bytes)
{
    atomic_uint_fast64_t *capacity = &counters->capacities[tensor];
    uint_fast64_t seen = atomic_load_explicit(capacity, memory_order_relaxed);

    while (bytes > seen) {
        if (atomic_compare_exchange_weak_explicit(capacity, &seen,
                                                  grown_capacity(counters, seen, bytes),
                                                  memory_order_relaxed, memory_order_relaxed)) {
            atomic_fetch_add_explicit(&counters->growths, 1, memory_order_release);
            return;
        }
    }
}
