/* Hardware buffers over foreign memory. hardware_buffer/ creates and uses the buffers. */
#include "common/system_code.h"
#include "halyard/halyard.h"
#include "hardware_buffer/hw_buffer.h"
#include "runtime/handle/last_error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static enum hy_code wrap(int fd, const AHardwareBuffer_Desc *desc, AHardwareBuffer **ret,
                         struct hy_error *err)
{
    const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

    if (own < 0) {
        const int reason = errno;
        return hy_fail(err, reason == EBADF ? HY_BAD_DATA : hy_system_code(reason, HY_FAILED),
                       "file descriptor %d cannot be duplicated: %s", fd, strerror(reason));
    }
    return hy_hardware_buffer_adopt(own, desc, ret, err) == 0 ? HY_OK : err->code;
}

int halyard_hardware_buffer_wrap(int fd, const AHardwareBuffer_Desc *desc, AHardwareBuffer **buffer)
{
    static const char name[] = "hardware_buffer_wrap";
    struct hy_error err;

    if (!buffer)
        return hy_api_null(name, "buffer");
    *buffer = NULL;
    if (!desc)
        return hy_api_null(name, "desc");
    return hy_api_result(name, wrap(fd, desc, buffer, &err), &err);
}
