#ifndef HY_COMMON_LOOKUP_FAILURE_H
#define HY_COMMON_LOOKUP_FAILURE_H

#include <stdint.h>

/*
 * Records that could not be looked at: a lock is held by somebody else, or descriptors or memory
 * are used up. Drivers pass on one status for these and for damaged cache files (halyard/driver.h,
 * cache_restore). Whoever called the driver compares the count before and after, and removes no
 * cache files after a failure that the count explains. Thread-safe.
 */
void hy_lookup_failure_note(void);
uint64_t hy_lookup_failure_count(void); /* so far, in this process */

#endif
