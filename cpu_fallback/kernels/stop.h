#ifndef HY_CPU_FALLBACK_KERNELS_STOP_H
#define HY_CPU_FALLBACK_KERNELS_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How work ends that nobody wants any more. The thread that makes a call says here when that is,
 * and hy_cpu_share tells the threads that help it; loops that may take long ask between two pieces
 * of work whether it is. A kernel that hears so returns with whatever its output holds: the
 * executor looks once more after each operation, and gives none of it away.
 *
 * To ask is a subtraction; a look at word and clock comes once in HY_STOP_UNITS of work.
 */

/* Of work: an element that is moved, or a product that is added. Some take 10 ns each (powers, the
 * scalar kernels), few more. */
#define HY_STOP_UNITS (INT64_C(1) << 18)

/* Of a call; shared by its threads. */
struct hy_stop {
    const uint32_t *cancelled; /* HY_CANCELLED_WORD */
    int64_t deadline;          /* CLOCK_BOOTTIME, or -1: none */
    uint32_t is_set;           /* the time has come: never back */
};

/* Of a thread. */
struct hy_stop_watch {
    struct hy_stop *stop; /* NULL: it goes on for ever */
    int64_t left;         /* units until the next look */
};

/* The watch of each thread, in static thread-local storage: an access takes no call. */
extern _Thread_local struct hy_stop_watch hy_stop_of_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* That of this thread. */
static inline struct hy_stop_watch *hy_stop_here(void)
{
    return &hy_stop_of_thread;
}

/* The thread works for `stop` from now on (NULL: for nobody); gives for whom it worked before. */
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

/* Looks now. */
bool hy_stop_look(struct hy_stop_watch *watch);

/* After `units` of work, or before: whether to return. */
static inline bool hy_stop_after(struct hy_stop_watch *watch, size_t units)
{
    watch->left -= units < (size_t)HY_STOP_UNITS ? (int64_t)units : HY_STOP_UNITS;
    return watch->left < 0 && hy_stop_look(watch);
}

#endif
