#ifndef HY_PLUGINS_STATUS_H
#define HY_PLUGINS_STATUS_H

#include <stdint.h>

/* "INVALID_ARGUMENT" for HY_STATUS_INVALID_ARGUMENT; "unknown status" for what is none. Static. */
const char *hy_status_name(int32_t status);

#endif
