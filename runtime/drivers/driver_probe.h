#ifndef HY_RUNTIME_DRIVERS_DRIVER_PROBE_H
#define HY_RUNTIME_DRIVERS_DRIVER_PROBE_H

#include "common/error.h"

#include <stdint.h>

/*
 * Runs `open` in a child process to open the drivers, and repeats with a new child until a child
 * completes. A driver that ends the child, or keeps a call for `hang_timeout` nanoseconds, is
 * condemned (crash_guard.h) and skipped in the next child. Call with the lock of the device list
 * held. Errors: FAILED (no child process, or the child ended outside of driver calls),
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_driver_probe_run(void (*open)(void), uint64_t hang_timeout,
                                               struct hy_error *err);

#endif
