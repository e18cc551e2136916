#ifndef HY_CPU_FALLBACK_KERNELS_STOP_H
#define HY_CPU_FALLBACK_KERNELS_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Cancellation and deadlines of running work. The thread that starts a call sets its stop object
 * here, and hy_cpu_parallel_for passes the object to helper threads. Long loops check the stop
 * object between two pieces of work. A kernel that must stop returns at once and leaves its output
 * incomplete; the executor checks again after each operation and discards all results of a stopped
 * call.
 *
 * A check costs one subtraction. The cancellation word and the clock are read once in HY_STOP_UNITS
 * units of work.
 */

/* A unit of work is one moved element or one added product. Some units take 10 ns (powers, scalar
 * kernels), and few units take longer. */
#define HY_STOP_UNITS (INT64_C(1) << 18)

/* The stop object of a call, shared by all threads of the call. */
struct hy_stop {
    const uint32_t *cancelled; /* HY_CANCELLED_WORD */
    int64_t deadline;          /* CLOCK_BOOTTIME, or -1: none */
    uint32_t is_set;           /* cancelled or past the deadline; never cleared */
};

/* The stop state of one thread. */
struct hy_stop_watch {
    struct hy_stop *stop; /* NULL: never stops */
    int64_t left;         /* units of work until the next check */
};

/* The watch of each thread, in static thread-local storage: an access needs no function call. */
extern _Thread_local struct hy_stop_watch hy_stop_of_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The watch of the calling thread. */
static inline struct hy_stop_watch *hy_stop_here(void)
{
    return &hy_stop_of_thread;
}

/* The calling thread works for `stop` from now on (NULL: never stops). Returns the previous stop
 * object. */
static inline struct hy_stop *hy_stop_enter(struct hy_stop *stop)
{
    struct hy_stop *before = hy_stop_of_thread.stop;

    hy_stop_of_thread = (struct hy_stop_watch){stop, HY_STOP_UNITS};
    return before;
}

static inline bool hy_stop_is_set(const struct hy_stop *stop)
{
    return stop && __atomic_load_n(&stop->is_set, __ATOMIC_RELAXED) != 0;
}

/* Checks now, even if units are left. Returns whether to stop. */
bool hy_stop_look(struct hy_stop_watch *watch);

/* Call before or after `units` of work. Returns whether to stop. */
static inline bool hy_stop_after(struct hy_stop_watch *watch, size_t units)
{
    watch->left -= units < (size_t)HY_STOP_UNITS ? (int64_t)units : HY_STOP_UNITS;
    return watch->left < 0 && hy_stop_look(watch);
}

#endif
