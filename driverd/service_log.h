#ifndef HY_DRIVERD_SERVICE_LOG_H
#define HY_DRIVERD_SERVICE_LOG_H

#include <stdint.h>

/* A line of a shared service about itself, at the level of HALYARD_LOG, on standard error. */
void hy_service_note(int32_t level, const char *text);

#endif
