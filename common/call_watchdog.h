#ifndef HY_COMMON_CALL_WATCHDOG_H
#define HY_COMMON_CALL_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Finds calls into drivers that do not come back. A thread that calls a driver notes the call in a
 * record of its own, which costs a few stores; the watchdog's thread reads the records from time to
 * time. A record that is the same as in the round before is of a call that is still under way.
 *
 * Durations are rounds of the watchdog, not time of a clock: a process that was stopped does not
 * take its own calls for hung.
 */
struct hy_watched_call {
    const char *device;   /* both live as long as the process; `device` may be NULL */
    const char *function; /* of the driver ABI: "prepare"; NULL: no call */
};

/* Begins a call of the calling thread; gives the call that this one lies in, for the end. Of
 * more than 1024 threads at once the last ones are not watched. From any thread. */
struct hy_watched_call hy_watchdog_enter(const char *device, const char *function);

/* Ends the call of the calling thread that was begun last. */
void hy_watchdog_leave(struct hy_watched_call outer);

/* The call of the calling thread. */
struct hy_watched_call hy_watchdog_current(void);

/* A copy of a device's name that lives as long as the process, one for each name. NULL: no memory.
 * From one thread at a time. */
const char *hy_watchdog_name(const char *name);

struct hy_watchdog_rules {
    /* A call is reported at this age, to a round, and each time its age has doubled; > 0. */
    int64_t patience_ns;
    int64_t round_ns; /* the time between two rounds; > 0 */

    /* Called by the watchdog's thread. `has_returned`: the call was reported and is over now. */
    void (*report)(struct hy_watched_call call, int64_t age_ns, bool has_returned);

    /* Called at the end of each round with the call that is the oldest; NULL: nobody wants that. */
    void (*end_round)(struct hy_watched_call oldest, int64_t age_ns);
};

/* Starts the watchdog of this process, once; `rules` live as long as the process. The child of a
 * fork() has none. False: there is no thread for it. From one thread at a time. */
bool hy_watchdog_start(const struct hy_watchdog_rules *rules);

#endif
