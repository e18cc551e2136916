#ifndef HY_RUNTIME_DRIVERS_DRIVER_TRIAL_H
#define HY_RUNTIME_DRIVERS_DRIVER_TRIAL_H

#include "common/error.h"

#include <stdint.h>

/*
 * Runs `open`, which opens the drivers, in a process of its own, again and again until one comes to
 * its end: a driver that ends the process, or keeps one call for `patience` nanoseconds, is
 * condemned (crash_guard.h) and so left out the next time. With the lock of the list of devices
 * held. Errors: FAILED (no process, or one that ended outside of drivers), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_driver_trial_run(void (*open)(void), uint64_t patience,
                                               struct hy_error *err);

#endif
