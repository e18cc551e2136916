#ifndef HY_RUNTIME_HEALTH_H
#define HY_RUNTIME_HEALTH_H

#include "common/clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The health of a device. Several failures in a row start a quarantine; the first failure after a
 * quarantine starts a quarantine of twice the length, up to a limit. One success resets the health.
 * Times are those of hy_clock_now. A zeroed struct is a healthy device. Thread-safe and lock-free.
 */
struct hy_health {
    atomic_uint_fast64_t record; /* 0: no failures; layout in health.c */
};

#define HY_HEALTH_FAILURES   UINT32_C(3)          /* failures until the first quarantine */
#define HY_HEALTH_FIRST_NS   UINT64_C(1000000000) /* length of the first quarantine */
#define HY_HEALTH_LONGEST_NS UINT64_C(60000000000)

/* True: the device has no failures on record. One load, for the run of a healthy device. */
static inline bool hy_health_is_clear(const struct hy_health *health)
{
    return atomic_load_explicit(&health->record, memory_order_relaxed) == 0;
}

/* Returns the rest of the quarantine in nanoseconds. 0: no quarantine, the device may be used. */
uint64_t hy_health_left(const struct hy_health *health, uint64_t now);

/* Returns the number of consecutive failures. */
uint32_t hy_health_failures(const struct hy_health *health);

/* Notes a failure and returns the length of the quarantine it starts, or 0. Failures during a
 * quarantine do not count, because their work began before the quarantine. */
uint64_t hy_health_note_failure(struct hy_health *health, uint64_t now);

void hy_health_note_success(struct hy_health *health);

#endif
