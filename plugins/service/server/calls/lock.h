#ifndef HY_SERVICE_SERVER_LOCK_H
#define HY_SERVICE_SERVER_LOCK_H

#include <stdint.h>

/*
 * cache_lock and cache_unlock of the driver's host. A descriptor that came from the client shares
 * what the kernel locks with its twins, and the sandbox opens nothing, so that each lock is taken
 * through a description that the client has opened anew. It lives here alone: the locks of a
 * process end with it. A wait ends with the client, too.
 */
int32_t hy_server_cache_lock(void *context, int32_t fd, uint32_t exclusive, int64_t deadline);
void hy_server_cache_unlock(void *context, int32_t fd);

#endif
