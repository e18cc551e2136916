#ifndef HY_PLUGINS_SERVICE_QUEUE_WAIT_H
#define HY_PLUGINS_SERVICE_QUEUE_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Waiting for a word in shared memory to change: a waiter spins for about the usual time of a wait,
 * then sleeps on a futex. The thread that changes the word makes a system call only if the waiter
 * sleeps.
 *
 * A waiter that polls spins for a fixed time, regardless of earlier waits.
 *
 * A waiter that naps sleeps through the first part of longer waits, and spins for the rest of the
 * usual time. Such a waiter uses a fraction of the CPU, and is awake when the change comes.
 */

/* State of a waiter. All members but `dead` belong to the waiting thread. */
struct hy_waiter {
    const atomic_bool *dead; /* true: the peer is gone; must outlive the waiter */
    uint64_t spin_ns;        /* time to spin beyond the usual wait; 0: never spin */
    bool naps;               /* set after hy_waiter_init */
    bool polls;              /* set after hy_waiter_init; spins for spin_ns, and does not nap */
    uint64_t usual_ns;       /* average time of recent waits */
    uint32_t waits;
};

/* The condition of a wait: *counter differs from `seen`. *sleeps is 1 while a thread sleeps. */
struct hy_wait_point {
    _Atomic uint32_t *counter;
    _Atomic uint32_t *sleeps;
    uint32_t seen;
    /* CPU of the peer plus 1, or NULL. A waiter on the same CPU stops spinning, as spinning would
     * keep the peer from working. The value is set by the peer and not trusted. */
    const _Atomic uint32_t *peer_cpu;
};

struct hy_wait_limit {
    int64_t deadline;         /* ns of CLOCK_BOOTTIME, HY_NO_DEADLINE: none */
    uint64_t hang_timeout_ns; /* hang timeout from the start of the wait; 0: none */
};

enum hy_wait_end {
    HY_WAIT_CHANGED,
    HY_WAIT_DEAD,
    HY_WAIT_EXPIRED,   /* the deadline passed */
    HY_WAIT_IMPATIENT, /* the hang timeout passed */
};

/* Initializes a waiter. `spin_ns` is ignored if the calling thread may run on only one CPU. */
void hy_waiter_init(struct hy_waiter *waiter, const atomic_bool *dead, uint64_t spin_ns);

enum hy_wait_end hy_wait(struct hy_waiter *waiter, const struct hy_wait_point *point,
                         const struct hy_wait_limit *limit);

/* Wakes the sleeping thread, after a sequentially consistent store to the counter. */
void hy_wake(_Atomic uint32_t *sleeps);

/* Wakes the sleeping thread after `dead` has become true, no matter what the peer has written. */
void hy_wait_interrupt(_Atomic uint32_t *sleeps);

/* Futex operations across processes. Sleeps while *word is `value`, for at most `ns` nanoseconds;
 * ns < 0: no limit. */
void hy_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t ns);
void hy_futex_wake(_Atomic uint32_t *word);

#endif
