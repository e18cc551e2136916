#include "runtime/execute/pace.h"

#include "common/clock.h"
#include "runtime/device/device_kind.h"
#include "runtime/plan/plan.h"

/* Waking a thread takes about 3 us at best, and 50 us if a core must wake up too. */
#define QUICK_NS 5000u

/* A preempted thread looks slow once, so one slow run only lowers the confidence. */
enum trust { NONE, DOUBT, FULL };

/* Reading the clock takes as long as the smallest runs, so only few runs are timed. */
#define TIMED_ONE_OF 64u

void hy_pace_init(struct hy_pace *pace, const struct hy_plan *plan)
{
    pace->limit = QUICK_NS;
    pace->is_predictable = plan->request.model->referenced_count == 0;
    for (uint32_t i = 0; i < plan->step_count; i++)
        pace->is_predictable &= hy_device_is_built_in(plan->steps[i].device);
}

bool hy_pace_is_quick(const struct hy_pace *pace)
{
    return atomic_load_explicit(&pace->trust, memory_order_relaxed) != NONE;
}

uint64_t hy_pace_start(struct hy_pace *pace)
{
    if (!pace->is_predictable)
        return 0;
    if (atomic_load_explicit(&pace->trust, memory_order_relaxed) == FULL) {
        /* Not atomic: lost increments do no harm. */
        const unsigned count = atomic_load_explicit(&pace->run_count, memory_order_relaxed) + 1;
        atomic_store_explicit(&pace->run_count, count, memory_order_relaxed);
        if (count % TIMED_ONE_OF != 0)
            return 0;
    }
    return hy_clock_now();
}

void hy_pace_end(struct hy_pace *pace, uint64_t start, bool success)
{
    if (start == 0 || !success)
        return;
    const unsigned before = atomic_load_explicit(&pace->trust, memory_order_relaxed);
    const bool is_quick = hy_clock_now() - start <= pace->limit;
    atomic_store_explicit(&pace->trust,
                          is_quick         ? FULL
                          : before == FULL ? DOUBT
                                           : NONE,
                          memory_order_relaxed);
}
