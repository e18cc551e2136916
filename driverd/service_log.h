#ifndef HY_DRIVERD_SERVICE_LOG_H
#define HY_DRIVERD_SERVICE_LOG_H

#include <stdint.h>

/* Logs a line about the shared service itself to standard error, filtered by HALYARD_LOG. */
void hy_service_note(int32_t level, const char *text);

#endif
