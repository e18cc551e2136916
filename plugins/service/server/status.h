#ifndef HY_SERVICE_SERVER_STATUS_H
#define HY_SERVICE_SERVER_STATUS_H

#include "common/error.h"
#include "halyard/driver.h"

/* What a client is told about a failure of the service's own. */
static inline int32_t hy_server_status(enum hy_code code)
{
    switch (code) {
    case HY_OK:
        return HY_STATUS_OK;
    case HY_BAD_DATA:
        return HY_STATUS_INVALID_ARGUMENT;
    case HY_OUT_OF_MEMORY:
    case HY_EXHAUSTED:
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    case HY_EXHAUSTED_FOR_GOOD:
        return HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT;
    default:
        return HY_STATUS_GENERAL_FAILURE;
    }
}

#endif
