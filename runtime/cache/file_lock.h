#ifndef HY_RUNTIME_CACHE_FILE_LOCK_H
#define HY_RUNTIME_CACHE_FILE_LOCK_H

#include <stdint.h>

/*
 * Locks on cache files that their driver keeps open: between threads, processes and copies of the
 * library. A descriptor that was duplicated shares what the kernel locks with its twins, so each
 * lock is taken through a description of its own, opened anew by way of /proc, and held with it
 * until it is unlocked. Locks are kept by the number of the descriptor: unlock before closing it.
 *
 * Gives HY_STATUS_*: MISSED_DEADLINE_TRANSIENT, INVALID_ARGUMENT (no descriptor, no flag),
 * GENERAL_FAILURE (no descriptors left, no /proc).
 */
int32_t hy_file_lock(int32_t fd, uint32_t exclusive, int64_t deadline);

/* One of the locks on the descriptor; from any thread. None is no error. */
void hy_file_unlock(int32_t fd);

#endif
