#include "cpu_fallback/run/company.h"

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
static void decide(struct hy_cpu_company *company, unsigned run)
{
    const uint64_t alone = atomic_load_explicit(&company->alone, memory_order_relaxed);
    const uint64_t together = atomic_load_explicit(&company->together, memory_order_relaxed);

    if (alone > 0 && together > 0)
        atomic_store_explicit(&company->prefers_alone, (double)together > WORTH * (double)alone,
                              memory_order_relaxed);
    if (atomic_load_explicit(&company->prefers_alone, memory_order_relaxed))
        atomic_store_explicit(&company->runs,
                              run + 1 + HY_CPU_COMPANY_PERIOD - HY_CPU_COMPANY_SHORT,
                              memory_order_relaxed);
    atomic_store_explicit(&company->alone, 0, memory_order_relaxed);
    atomic_store_explicit(&company->together, 0, memory_order_relaxed);
}

bool hy_cpu_company_next(struct hy_cpu_company *company, bool *is_alone)
{
    /* Not an atomic increment: lost counts do no harm. */
    const unsigned run = atomic_load_explicit(&company->runs, memory_order_relaxed);
    unsigned place = (run + HY_CPU_COMPANY_PERIOD - HY_CPU_COMPANY_FIRST) % HY_CPU_COMPANY_PERIOD;

    atomic_store_explicit(&company->runs, run + 1, memory_order_relaxed);
    *is_alone = place < HY_CPU_COMPANY_ALONE;
    if (*is_alone)
        return place >= UNTIMED_ALONE;
    place -= HY_CPU_COMPANY_ALONE;
    if (place < HY_CPU_COMPANY_TOGETHER)
        return place >= UNTIMED_TOGETHER;
    if (place == HY_CPU_COMPANY_TOGETHER)
        decide(company, run);
    *is_alone = atomic_load_explicit(&company->prefers_alone, memory_order_relaxed);
    return false;
}

void hy_cpu_company_note(struct hy_cpu_company *company, bool is_alone, uint64_t ns)
{
    atomic_uint_fast64_t *least = is_alone ? &company->alone : &company->together;
    const uint64_t before = atomic_load_explicit(least, memory_order_relaxed);

    if (before == 0 || ns < before)
        atomic_store_explicit(least, ns, memory_order_relaxed);
}

struct hy_cpu_company_run hy_cpu_company_begin(struct hy_cpu_company *company)
{
    struct hy_cpu_company_run run = {0};

    if (hy_cpu_company_next(company, &run.is_alone))
        run.start = (uint64_t)hy_clock_boot();
    return run;
}

void hy_cpu_company_end(struct hy_cpu_company *company, const struct hy_cpu_company_run *run)
{
    if (run->start != 0)
        hy_cpu_company_note(company, run->is_alone, (uint64_t)hy_clock_boot() - run->start);
}
