#ifndef HY_DRIVERD_MEMORY_LIMIT_H
#define HY_DRIVERD_MEMORY_LIMIT_H

#include <stdint.h>

/*
 * The limit of a driver's allocations in this process, in bytes; 0: unlimited. `setting` is the
 * value of HALYARD_SERVICE_MEMORY. Without a valid `setting` (NULL or not a number) the limit is
 * three quarters of the memory available to the process. Call before the process is confined.
 */
uint64_t hy_driverd_memory_limit(const char *setting);

#endif
