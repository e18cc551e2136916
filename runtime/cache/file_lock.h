#ifndef HY_RUNTIME_CACHE_FILE_LOCK_H
#define HY_RUNTIME_CACHE_FILE_LOCK_H

#include <stdint.h>

/*
 * Locks on cache files that a driver keeps open. A lock excludes other threads, processes and
 * copies of the library. Duplicated descriptors share kernel locks, so each lock opens the file
 * again through /proc and holds the new descriptor until unlock. The list of locks uses the
 * descriptor number as its key: unlock before closing the descriptor.
 *
 * Returns HY_STATUS_*: MISSED_DEADLINE_TRANSIENT, INVALID_ARGUMENT (invalid descriptor or flag),
 * RESOURCE_EXHAUSTED_TRANSIENT, GENERAL_FAILURE (out of descriptors, no /proc).
 */
int32_t hy_file_lock(int32_t fd, uint32_t exclusive, int64_t deadline);

/* Releases one lock of the descriptor, from any thread. Without a lock nothing happens. */
void hy_file_unlock(int32_t fd);

#endif
