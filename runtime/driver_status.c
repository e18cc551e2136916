#include "runtime/driver_status.h"

#include "common/printable.h"

enum hy_code hy_driver_code(int32_t status)
{
    switch (status) {
    case HY_STATUS_OK:
        return HY_OK;
    case HY_STATUS_DEVICE_UNAVAILABLE:
        return HY_UNAVAILABLE;
    case HY_STATUS_OUTPUT_INSUFFICIENT_SIZE:
        return HY_INSUFFICIENT_SIZE;
    case HY_STATUS_INVALID_ARGUMENT:
        return HY_BAD_DATA;
    case HY_STATUS_MISSED_DEADLINE_TRANSIENT:
        return HY_MISSED_DEADLINE;
    case HY_STATUS_MISSED_DEADLINE_PERSISTENT:
        return HY_MISSED_DEADLINE_FOR_GOOD;
    case HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT:
        return HY_EXHAUSTED;
    case HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT:
        return HY_EXHAUSTED_FOR_GOOD;
    case HY_STATUS_DEAD_OBJECT:
        return HY_DEAD;
    default:
        return HY_FAILED;
    }
}

void hy_driver_text_clean(char *text, size_t size)
{
    text[size - 1] = '\0';
    hy_text_clean(text);
}

enum hy_code hy_driver_fail(struct hy_error *err, const char *device, const char *what,
                            int32_t status, char words[HY_DRIVER_TEXT_SIZE])
{
    enum hy_code code = hy_driver_code(status);

    hy_driver_text_clean(words, HY_DRIVER_TEXT_SIZE);
    return hy_fail(err, code, "%s: %s failed: %s", device, what,
                   words[0] ? words : hy_code_name(code));
}
