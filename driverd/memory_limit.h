#ifndef HY_DRIVERD_MEMORY_LIMIT_H
#define HY_DRIVERD_MEMORY_LIMIT_H

#include <stdint.h>

/*
 * How much a driver may allocate in this process, in bytes, 0 for any amount: `setting`
 * (HALYARD_SERVICE_MEMORY; NULL, or what is no number: it is not set), else three quarters of what
 * there is for the process. To be asked before the process is confined.
 */
uint64_t hy_driverd_memory_limit(const char *setting);

#endif
