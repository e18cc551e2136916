#include "plugins/status.h"

#include "halyard/driver.h"

const char *hy_status_name(int32_t status)
{
    switch (status) {
    case HY_STATUS_OK:
        return "OK";
    case HY_STATUS_DEVICE_UNAVAILABLE:
        return "DEVICE_UNAVAILABLE";
    case HY_STATUS_GENERAL_FAILURE:
        return "GENERAL_FAILURE";
    case HY_STATUS_OUTPUT_INSUFFICIENT_SIZE:
        return "OUTPUT_INSUFFICIENT_SIZE";
    case HY_STATUS_INVALID_ARGUMENT:
        return "INVALID_ARGUMENT";
    case HY_STATUS_MISSED_DEADLINE_TRANSIENT:
        return "MISSED_DEADLINE_TRANSIENT";
    case HY_STATUS_MISSED_DEADLINE_PERSISTENT:
        return "MISSED_DEADLINE_PERSISTENT";
    case HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT:
        return "RESOURCE_EXHAUSTED_TRANSIENT";
    case HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT:
        return "RESOURCE_EXHAUSTED_PERSISTENT";
    case HY_STATUS_DEAD_OBJECT:
        return "DEAD_OBJECT";
    default:
        return "unknown status";
    }
}
