#ifndef HY_COMMON_CALL_WATCHDOG_H
#define HY_COMMON_CALL_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A watchdog for hung calls into drivers. A thread that calls a driver notes the call in its own
 * record at the cost of a few stores. The watchdog's thread reads the records periodically; a
 * record without a change since the previous round means that the call is still running.
 *
 * Durations are rounds of the watchdog, not clock time: a suspended process does not take its own
 * calls for hung.
 */
struct hy_watched_call {
    const char *device;   /* static lifetime, as `function`; may be NULL */
    const char *function; /* function of the driver ABI, "prepare"; NULL: no call */
};

/* Begins a call of the calling thread and returns the outer call, for hy_watchdog_leave. At most
 * 1024 threads are watched at a time. Any thread may call. */
struct hy_watched_call hy_watchdog_enter(const char *device, const char *function);

/* Ends the last begun call of the calling thread. */
void hy_watchdog_leave(struct hy_watched_call outer);

/* Returns the current call of the calling thread. */
struct hy_watched_call hy_watchdog_current(void);

/* Returns a permanent copy of a device name; equal names share a copy. NULL: out of memory. Not
 * thread-safe. */
const char *hy_watchdog_name(const char *name);

struct hy_watchdog_rules {
    /* A call is reported at this age (> 0), rounded up to a round, and each time its age has
     * doubled. */
    int64_t hang_timeout_ns;
    int64_t round_ns; /* time between two rounds; > 0 */

    /* Called by the watchdog's thread. `has_returned`: a reported call has returned. */
    void (*report)(struct hy_watched_call call, int64_t age_ns, bool has_returned);

    /* Called at the end of each round with the oldest call; may be NULL. */
    void (*end_round)(struct hy_watched_call oldest, int64_t age_ns);
};

/* Starts the watchdog of the process once; `rules` must have static lifetime. A child of fork() has
 * no watchdog. False: the thread cannot be started. Not thread-safe. */
bool hy_watchdog_start(const struct hy_watchdog_rules *rules);

#endif
