#include "plugins/support_library/result.h"

#include <stdbool.h>
#include <stdio.h>

static bool exists(int result)
{
    return result == HY_OK || result == HY_OUT_OF_MEMORY ||
           (result >= HY_UNEXPECTED_NULL && result <= HY_DEAD);
}

enum hy_code hy_sl_result(int result, const char *call, struct hy_error *err)
{
    if (result == HY_OK)
        return HY_OK;
    if (!exists(result))
        return hy_fail(err, HY_FAILED, "%s answered %d, which is no result code", call, result);
    const enum hy_code code = (enum hy_code)result;
    /* The library's memory is not ours. */
    return hy_fail(err, code == HY_OUT_OF_MEMORY ? HY_FAILED : code, "%s answered %s (%d)", call,
                   hy_code_name(code), result);
}

enum hy_code hy_sl_result_made(int result, const void *made, const char *call, struct hy_error *err)
{
    if (result == HY_OK && !made)
        return hy_fail(err, HY_FAILED, "%s answered NO_ERROR and made nothing", call);
    return hy_sl_result(result, call, err);
}

static int32_t status_of(enum hy_code code)
{
    switch (code) {
    case HY_OK:
        return HY_STATUS_OK;
    case HY_UNEXPECTED_NULL:
    case HY_BAD_DATA:
        return HY_STATUS_INVALID_ARGUMENT;
    case HY_INSUFFICIENT_SIZE:
        return HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    case HY_UNAVAILABLE:
        return HY_STATUS_DEVICE_UNAVAILABLE;
    case HY_MISSED_DEADLINE:
        return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
    case HY_MISSED_DEADLINE_FOR_GOOD:
        return HY_STATUS_MISSED_DEADLINE_PERSISTENT;
    case HY_EXHAUSTED:
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    case HY_EXHAUSTED_FOR_GOOD:
        return HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT;
    case HY_DEAD:
        return HY_STATUS_DEAD_OBJECT;
    default:
        return HY_STATUS_GENERAL_FAILURE;
    }
}

int32_t hy_sl_status(enum hy_code code, const struct hy_error *err,
                     const struct hy_message *message)
{
    if (code != HY_OK && message && message->text && message->size > 0)
        snprintf(message->text, message->size, "%s", err->text);
    return status_of(code);
}
