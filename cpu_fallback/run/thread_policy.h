#ifndef HY_CPU_FALLBACK_RUN_THREAD_POLICY_H
#define HY_CPU_FALLBACK_RUN_THREAD_POLICY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Chooses between single-threaded and multi-threaded execution of a plan, by timing both from time
 * to time. The costs of handing over work and of moving data between cores differ between machines
 * and over time. Any number of threads may use the same policy object. All zero bytes starts with
 * several threads.
 */
struct hy_cpu_thread_policy {
    atomic_uint runs;                     /* concurrent runs may be lost */
    atomic_bool prefers_single;           /* result of the last trial */
    atomic_uint_fast64_t alone, together; /* shortest time in this trial, ns; 0: none yet */
};

/* A run under the policy. */
struct hy_cpu_thread_policy_run {
    bool is_alone;
    uint64_t start; /* hy_clock_boot() if the run is timed, else 0 */
};

/* Numbers of runs: from a trial to the next, the same after a trial with a single-threaded winner,
 * and before the first trial, while threads and memory are still being created. A trial has
 * single-threaded runs followed by multi-threaded runs. The first runs of each kind are not timed:
 * threads wake up, and data moves between caches. */
#define HY_CPU_THREAD_POLICY_PERIOD 256u
#define HY_CPU_THREAD_POLICY_SHORT  96u
#define HY_CPU_THREAD_POLICY_FIRST  32u
#define HY_CPU_THREAD_POLICY_SINGLE 4u
#define HY_CPU_THREAD_POLICY_MULTI  6u

struct hy_cpu_thread_policy_run
hy_cpu_thread_policy_begin(struct hy_cpu_thread_policy *thread_policy);
void hy_cpu_thread_policy_end(struct hy_cpu_thread_policy *thread_policy,
                              const struct hy_cpu_thread_policy_run *run);

/* The same with the clock of the caller. True: the run is to be timed. */
bool hy_cpu_thread_policy_next(struct hy_cpu_thread_policy *thread_policy, bool *is_alone);
void hy_cpu_thread_policy_record(struct hy_cpu_thread_policy *thread_policy, bool is_alone,
                                 uint64_t ns);

#endif
