#ifndef HY_SERVICE_SERVER_LOCK_H
#define HY_SERVICE_SERVER_LOCK_H

#include <stdint.h>

/*
 * cache_lock and cache_unlock of the driver's host. A descriptor from the client shares its open
 * file description, and therefore its kernel locks, with its duplicates. The sandbox forbids
 * opening files, so the client opens the file anew for each lock. Only the service holds the new
 * description: the kernel drops the locks when the process ends. A wait for a lock also ends when
 * the client disconnects.
 */
int32_t hy_server_cache_lock(void *context, int32_t fd, uint32_t exclusive, int64_t deadline);
void hy_server_cache_unlock(void *context, int32_t fd);

#endif
