#ifndef HY_CPU_FALLBACK_RUN_COMPANY_H
#define HY_CPU_FALLBACK_RUN_COMPANY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Whether executions of a plan share their work with other threads, by what that gains. How long it
 * takes to hand over work, and how far data has to go from one core to the other, is different from
 * machine to machine, and from one moment to the next: so now and then some runs are made in both
 * ways, and timed. Any number of threads may use one. All zero bytes is one that shares, until it
 * knows better.
 */
struct hy_cpu_company {
    atomic_uint runs;                     /* some may go uncounted */
    atomic_bool prefers_alone;            /* between trials */
    atomic_uint_fast64_t alone, together; /* the least time in the trial, ns; 0: none yet */
};

/* One run. */
struct hy_cpu_company_run {
    bool is_alone;
    uint64_t start; /* of one that is timed, else 0 */
};

/* Runs from one trial to the next, fewer while the last one said alone, and before the first, when
 * threads and memory are still being made. In a trial some go alone, then some together; of each
 * the first are not timed: threads wake up, and data moves to where it is used. */
#define HY_CPU_COMPANY_PERIOD   256u
#define HY_CPU_COMPANY_SHORT    96u
#define HY_CPU_COMPANY_FIRST    32u
#define HY_CPU_COMPANY_ALONE    4u
#define HY_CPU_COMPANY_TOGETHER 6u

struct hy_cpu_company_run hy_cpu_company_begin(struct hy_cpu_company *company);
void hy_cpu_company_end(struct hy_cpu_company *company, const struct hy_cpu_company_run *run);

/* The same with the clock in the caller's hands. True: the run is to be timed. */
bool hy_cpu_company_next(struct hy_cpu_company *company, bool *is_alone);
void hy_cpu_company_note(struct hy_cpu_company *company, bool is_alone, uint64_t ns);

#endif
