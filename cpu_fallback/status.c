#include "cpu_fallback/status.h"

#include <stdio.h>

int32_t hy_cpu_status(enum hy_code code)
{
    switch (code) {
    case HY_OK:
        return HY_STATUS_OK;
    case HY_BAD_DATA:
    case HY_UNEXPECTED_NULL:
        return HY_STATUS_INVALID_ARGUMENT;
    case HY_INSUFFICIENT_SIZE:
        return HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    case HY_UNAVAILABLE:
        return HY_STATUS_DEVICE_UNAVAILABLE;
    case HY_MISSED_DEADLINE:
        return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
    case HY_MISSED_DEADLINE_FOR_GOOD:
        return HY_STATUS_MISSED_DEADLINE_PERSISTENT;
    case HY_OUT_OF_MEMORY:
    case HY_EXHAUSTED:
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    case HY_EXHAUSTED_FOR_GOOD:
        return HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT;
    case HY_DEAD:
        return HY_STATUS_DEAD_OBJECT;
    case HY_FAILED:
    case HY_BAD_STATE:
    case HY_UNMAPPABLE:
        break;
    }
    return HY_STATUS_GENERAL_FAILURE;
}

int32_t hy_cpu_answer(enum hy_code code, const struct hy_error *err,
                      const struct hy_message *message)
{
    if (code != HY_OK && message && message->text && message->size > 0)
        snprintf(message->text, message->size, "%s", err->text);
    return hy_cpu_status(code);
}
