#include "cpu_fallback/run/thread_policy.h"

#include "common/clock.h"
#include "cpu_fallback/run/execution_limits.h"

/* The time of several threads relative to one thread must be below this, since it takes more than
 * one processor. */
#define WORTH 0.97

/* Untimed runs at the start of each half of a trial. */
#define UNTIMED_ALONE    1u
#define UNTIMED_TOGETHER 2u

/* Ends a trial: the following runs use the faster way. The cause of slow threads may end soon, so a
 * preference for one thread is tested again earlier. */
static void decide(struct hy_cpu_thread_policy *thread_policy, unsigned run)
{
    const uint64_t alone = atomic_load_explicit(&thread_policy->alone, memory_order_relaxed);
    const uint64_t together = atomic_load_explicit(&thread_policy->together, memory_order_relaxed);

    if (alone > 0 && together > 0)
        atomic_store_explicit(&thread_policy->prefers_single,
                              (double)together > WORTH * (double)alone, memory_order_relaxed);
    if (atomic_load_explicit(&thread_policy->prefers_single, memory_order_relaxed))
        atomic_store_explicit(&thread_policy->runs,
                              run + 1 + HY_CPU_THREAD_POLICY_PERIOD - HY_CPU_THREAD_POLICY_SHORT,
                              memory_order_relaxed);
    atomic_store_explicit(&thread_policy->alone, 0, memory_order_relaxed);
    atomic_store_explicit(&thread_policy->together, 0, memory_order_relaxed);
}

bool hy_cpu_thread_policy_next(struct hy_cpu_thread_policy *thread_policy, bool *is_alone)
{
    /* Not an atomic increment: lost counts do no harm. */
    const unsigned run = atomic_load_explicit(&thread_policy->runs, memory_order_relaxed);
    unsigned phase = (run + HY_CPU_THREAD_POLICY_PERIOD - HY_CPU_THREAD_POLICY_FIRST) %
                     HY_CPU_THREAD_POLICY_PERIOD;

    atomic_store_explicit(&thread_policy->runs, run + 1, memory_order_relaxed);
    *is_alone = phase < HY_CPU_THREAD_POLICY_SINGLE;
    if (*is_alone)
        return phase >= UNTIMED_ALONE;
    phase -= HY_CPU_THREAD_POLICY_SINGLE;
    if (phase < HY_CPU_THREAD_POLICY_MULTI)
        return phase >= UNTIMED_TOGETHER;
    if (phase == HY_CPU_THREAD_POLICY_MULTI)
        decide(thread_policy, run);
    *is_alone = atomic_load_explicit(&thread_policy->prefers_single, memory_order_relaxed);
    return false;
}

void hy_cpu_thread_policy_record(struct hy_cpu_thread_policy *thread_policy, bool is_alone,
                                 uint64_t ns)
{
    atomic_uint_fast64_t *least = is_alone ? &thread_policy->alone : &thread_policy->together;
    const uint64_t before = atomic_load_explicit(least, memory_order_relaxed);

    if (before == 0 || ns < before)
        atomic_store_explicit(least, ns, memory_order_relaxed);
}

struct hy_cpu_thread_policy_run
hy_cpu_thread_policy_begin(struct hy_cpu_thread_policy *thread_policy)
{
    struct hy_cpu_thread_policy_run run = {0};

    if (hy_cpu_thread_policy_next(thread_policy, &run.is_alone))
        run.start = (uint64_t)hy_clock_boot();
    return run;
}

void hy_cpu_thread_policy_end(struct hy_cpu_thread_policy *thread_policy,
                              const struct hy_cpu_thread_policy_run *run)
{
    if (run->start != 0)
        hy_cpu_thread_policy_record(thread_policy, run->is_alone,
                                    (uint64_t)hy_clock_boot() - run->start);
}
