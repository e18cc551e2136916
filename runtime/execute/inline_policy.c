#include "runtime/execute/inline_policy.h"

#include "common/clock.h"
#include "runtime/device/device_kind.h"
#include "runtime/plan/plan.h"

/* Waking a thread takes about 3 us at best, and 50 us if a core must wake up too. */
#define QUICK_NS 5000u

/* A preempted thread looks slow once, so one slow run only lowers the confidence. */
enum trust { NONE, DOUBT, FULL };

/* Reading the clock takes as long as the smallest runs, so only few runs are timed. */
#define TIMED_ONE_OF 64u

void hy_inline_policy_init(struct hy_inline_policy *inline_policy, const struct hy_plan *plan)
{
    inline_policy->limit = QUICK_NS;
    inline_policy->is_predictable = plan->request.model->referenced_count == 0;
    for (uint32_t i = 0; i < plan->step_count; i++)
        inline_policy->is_predictable &= hy_device_is_built_in(plan->steps[i].device);
}

bool hy_inline_policy_is_quick(const struct hy_inline_policy *inline_policy)
{
    return atomic_load_explicit(&inline_policy->trust, memory_order_relaxed) != NONE;
}

uint64_t hy_inline_policy_start(struct hy_inline_policy *inline_policy)
{
    if (!inline_policy->is_predictable)
        return 0;
    if (atomic_load_explicit(&inline_policy->trust, memory_order_relaxed) == FULL) {
        /* Not atomic: lost increments do no harm. */
        const unsigned count =
            atomic_load_explicit(&inline_policy->run_count, memory_order_relaxed) + 1;
        atomic_store_explicit(&inline_policy->run_count, count, memory_order_relaxed);
        if (count % TIMED_ONE_OF != 0)
            return 0;
    }
    return hy_clock_now();
}

void hy_inline_policy_end(struct hy_inline_policy *inline_policy, uint64_t start, bool success)
{
    if (start == 0 || !success)
        return;
    const unsigned before = atomic_load_explicit(&inline_policy->trust, memory_order_relaxed);
    const bool is_quick = hy_clock_now() - start <= inline_policy->limit;
    atomic_store_explicit(&inline_policy->trust,
                          is_quick         ? FULL
                          : before == FULL ? DOUBT
                                           : NONE,
                          memory_order_relaxed);
}
