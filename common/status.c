#include "common/status.h"

#include <stdio.h>

int32_t hy_status_of(enum hy_code code)
{
    switch (code) {
#define CODE(code, name, status) \
    case HY_##code: \
        return HY_STATUS_##status;
#include "common/status.def"
    }
    return HY_STATUS_GENERAL_FAILURE;
}

enum hy_code hy_code_of(int32_t status)
{
    switch (status) {
#define STATUS(status, code) \
    case HY_STATUS_##status: \
        return HY_##code;
#include "common/status.def"
    }
    return HY_FAILED;
}

bool hy_status_is_known(int32_t status)
{
    switch (status) {
#define STATUS(status, code) case HY_STATUS_##status:
#include "common/status.def"
        return true;
    default:
        return false;
    }
}

const char *hy_status_name(int32_t status)
{
    switch (status) {
#define STATUS(status, code) \
    case HY_STATUS_##status: \
        return #status;
#include "common/status.def"
    }
    return "unknown status";
}

int32_t hy_status_fail(const struct hy_message *message, int32_t status, const struct hy_error *err)
{
    if (message && message->text && message->size > 0)
        snprintf(message->text, message->size, "%s", err->text);
    return status;
}

int32_t hy_status_report(enum hy_code code, const struct hy_error *err,
                         const struct hy_message *message)
{
    const int32_t status = hy_status_of(code);

    return code == HY_OK ? status : hy_status_fail(message, status, err);
}
