#ifndef HY_PLUGINS_SERVICE_QUEUE_WAIT_H
#define HY_PLUGINS_SERVICE_QUEUE_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Waiting for a word in shared memory to change: spinning for about as long as that takes usually,
 * then sleeping on a futex. Whoever changes the word makes a system call only if somebody sleeps.
 * A waiter that polls spins for a set time instead, whatever waits took.
 * A waiter that naps sleeps through the first part of waits that are longer, and spins for the rest
 * of the usual time: it uses a fraction of the CPU, and is awake when the change comes.
 */

/* How one side waits for one thing. All but `dead` belongs to the thread that waits. */
struct hy_waiter {
    const atomic_bool *dead; /* true: the peer is gone. Outlives the waiter */
    uint64_t spin_ns;        /* beyond the usual; 0: never spin */
    bool naps;               /* set after hy_waiter_init */
    bool polls;              /* likewise: spins for spin_ns, and does not nap */
    uint64_t usual_ns;       /* how long waits took, of late */
    uint32_t waits;
};

/* What is waited for: that *counter differs from `seen`. *sleeps is 1 while somebody sleeps. */
struct hy_wait_point {
    _Atomic uint32_t *counter;
    _Atomic uint32_t *sleeps;
    uint32_t seen;
    /* The CPU of the one who makes the change, plus 1, or NULL: who spins on it keeps that one from
     * working. As the peer likes to tell it. */
    const _Atomic uint32_t *peer_cpu;
};

struct hy_wait_limit {
    int64_t deadline;     /* ns of CLOCK_BOOTTIME, HY_NO_DEADLINE: none */
    uint64_t patience_ns; /* from the start of waiting; 0: without end */
};

enum hy_wait_end {
    HY_WAIT_CHANGED,
    HY_WAIT_DEAD,
    HY_WAIT_LATE,      /* the deadline */
    HY_WAIT_IMPATIENT, /* the patience */
};

/* `spin_ns` counts only if the calling thread may run on more than one CPU. */
void hy_waiter_init(struct hy_waiter *waiter, const atomic_bool *dead, uint64_t spin_ns);

enum hy_wait_end hy_wait(struct hy_waiter *waiter, const struct hy_wait_point *point,
                         const struct hy_wait_limit *limit);

/* After the counter has been stored, sequentially consistent: wakes who sleeps. */
void hy_wake(_Atomic uint32_t *sleeps);

/* After `dead` has become true: wakes who sleeps, whatever the peer has written. */
void hy_wait_interrupt(_Atomic uint32_t *sleeps);

/* A futex of any process: sleeps while *word is `value`, for at most `ns` nanoseconds if >= 0. */
void hy_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t ns);
void hy_futex_wake(_Atomic uint32_t *word);

#endif
