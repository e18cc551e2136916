#ifndef HY_COMMON_LOOKUP_FAILURE_H
#define HY_COMMON_LOOKUP_FAILURE_H

#include <stdint.h>

/*
 * Counts records that could not be read, because of a lock of another process or a lack of
 * descriptors or memory. Drivers return the same status for these failures and for damaged cache
 * files (halyard/driver.h, cache_restore). A caller of a driver compares the count before and after
 * the call, and keeps the cache files if the count has changed. Thread-safe.
 */
void hy_lookup_failure_note(void);
uint64_t hy_lookup_failure_count(void); /* failures in the process so far */

#endif
