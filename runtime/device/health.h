#ifndef HY_RUNTIME_HEALTH_H
#define HY_RUNTIME_HEALTH_H

#include "common/clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Whether a device is worth a try. Some failures in a row put it into quarantine for a while; the
 * first failure after that for twice as long, and so on up to a limit. One success ends it all.
 * Times are those of hy_clock_now. All zero bytes is a device in health. Thread-safe, without
 * locks.
 */
struct hy_health {
    atomic_uint_fast64_t record; /* 0: nothing to tell, else see health.c */
};

#define HY_HEALTH_FAILURES   UINT32_C(3)          /* that the first quarantine takes */
#define HY_HEALTH_FIRST_NS   UINT64_C(1000000000) /* how long it is */
#define HY_HEALTH_LONGEST_NS UINT64_C(60000000000)

/* All that a run of a device in health has to ask: one load. */
static inline bool hy_health_is_clear(const struct hy_health *health)
{
    return atomic_load_explicit(&health->record, memory_order_relaxed) == 0;
}

/* Nanoseconds of quarantine that are left; 0: none, it may be tried. */
uint64_t hy_health_left(const struct hy_health *health, uint64_t now);

/* Failures in a row so far. */
uint32_t hy_health_failures(const struct hy_health *health);

/* Notes a failure; gives the length of the quarantine that it starts, 0 if it starts none. What
 * fails during a quarantine was begun before it, and does not count. */
uint64_t hy_health_note_failure(struct hy_health *health, uint64_t now);

void hy_health_note_success(struct hy_health *health);

#endif
