#ifndef HY_COMMON_LOCK_WAIT_H
#define HY_COMMON_LOCK_WAIT_H

#include "common/error.h"

#include <stdbool.h>

/*
 * flock() with a timeout, for a file description owned only by the caller. Waits until `deadline`
 * (ns of CLOCK_BOOTTIME, -1: ten seconds from now) or until the socket `peer` (-1: none) hangs up.
 * Does not poll: for a contended lock, a helper thread blocks in the kernel; after a timeout the
 * helper thread releases the lock as soon as it gets the lock. The caller unlocks by closing all
 * descriptors of the description.
 *
 * Errors: MISSED_DEADLINE, DEAD (the peer has hung up), EXHAUSTED (too many abandoned helper
 * threads, or no descriptors), FAILED (the file cannot be locked).
 */
HY_MUST_CHECK enum hy_code hy_lock_wait(int own, bool exclusive, int64_t deadline, int peer);

/* Number of helper threads, including abandoned ones. */
unsigned hy_lock_waiters(void);

#endif
