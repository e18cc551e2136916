#ifndef HY_COMMON_LOCK_WAIT_H
#define HY_COMMON_LOCK_WAIT_H

#include "common/error.h"

#include <stdbool.h>

/*
 * flock() on a file description that is the caller's alone, waiting as long as it may: until
 * `deadline` (ns of CLOCK_BOOTTIME, -1: ten seconds from now) or until the socket `peer` (-1: none)
 * hangs up. Nobody polls: where the lock is somebody else's, a thread blocks in the kernel, and
 * goes with the lock if it was given up. The caller unlocks by closing all descriptors of the
 * description.
 *
 * Errors: MISSED_DEADLINE, DEAD (the peer has hung up), EXHAUSTED (too many threads still wait for
 * what was given up, or no descriptors), FAILED (no file that can be locked).
 */
HY_MUST_CHECK enum hy_code hy_lock_wait(int own, bool exclusive, int64_t deadline, int peer);

/* How many threads wait, those given up included. */
unsigned hy_lock_waiters(void);

#endif
