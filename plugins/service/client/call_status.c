#include "plugins/service/client/call_status.h"

#include <stdio.h>

int32_t hy_channel_status(enum hy_code code)
{
    switch (code) {
    case HY_OK:
        return HY_STATUS_OK;
    case HY_BAD_DATA:
        return HY_STATUS_INVALID_ARGUMENT;
    case HY_MISSED_DEADLINE:
        return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
    case HY_OUT_OF_MEMORY:
    case HY_EXHAUSTED:
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    case HY_UNAVAILABLE:
        return HY_STATUS_DEVICE_UNAVAILABLE;
    case HY_DEAD:
        return HY_STATUS_DEAD_OBJECT;
    default:
        return HY_STATUS_GENERAL_FAILURE;
    }
}

int32_t hy_service_fail(const struct hy_message *message, int32_t status,
                        const struct hy_error *err)
{
    if (message && message->text && message->size > 0)
        snprintf(message->text, message->size, "%s", err->text);
    return status;
}
