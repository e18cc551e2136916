#ifndef HY_HARDWARE_BUFFER_FAILURE_H
#define HY_HARDWARE_BUFFER_FAILURE_H

#include "common/error.h"

#include <errno.h>

/* Error codes of hardware buffers. The functions of <android/hardware_buffer.h> and of this
 * directory return negative errno values. `struct hy_error` also gets the text and the equivalent
 * result code of the NNAPI. */
static inline enum hy_code hy_errno_code(int number)
{
    switch (-number) {
    case ENOMEM:
        return HY_OUT_OF_MEMORY;
    case EMFILE:
    case ENFILE:
        return HY_EXHAUSTED;
    case EINVAL:
    case EBADF:
    case EBADMSG:
        return HY_BAD_DATA;
    case EACCES:
    case EPERM:
    case ENODEV:
        return HY_UNMAPPABLE;
    default:
        return HY_FAILED;
    }
}

/* Fills `err` (may be NULL) and returns `number`; evaluates `number` twice. */
#define hy_errno_fail(err, number, ...) \
    (hy_error_set((err), hy_errno_code(number), __FILE__, __LINE__, __VA_ARGS__), (number))

#endif
