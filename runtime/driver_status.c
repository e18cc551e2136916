#include "runtime/driver_status.h"

#include "common/printable.h"
#include "common/status.h"

void hy_driver_text_clean(char *text, size_t size)
{
    text[size - 1] = '\0';
    hy_text_clean(text);
}

enum hy_code hy_driver_fail(struct hy_error *err, const char *device, const char *what,
                            int32_t status, char text[HY_DRIVER_TEXT_SIZE])
{
    enum hy_code code = hy_code_of(status);

    hy_driver_text_clean(text, HY_DRIVER_TEXT_SIZE);
    if (!hy_status_is_known(status))
        return hy_fail(err, code, "%s: %s failed with the unknown status %d%s%s", device, what,
                       (int)status, text[0] ? ": " : "", text);
    if (!text[0])
        return hy_fail(err, code, "%s: %s failed with %s (%d)", device, what,
                       hy_status_name(status), (int)status);
    return hy_fail(err, code, "%s: %s failed: %s", device, what, text);
}
