#ifndef HY_COMMON_SYSTEM_CODE_H
#define HY_COMMON_SYSTEM_CODE_H

#include "common/error.h"

#include <errno.h>

/*
 * Returns the code for the errno value of a failed system call: EXHAUSTED for a lack of descriptors
 * (or epoll watches), OUT_OF_MEMORY, otherwise `otherwise`. Call before formatting an error text,
 * because formatting may change errno.
 */
static inline enum hy_code hy_system_code(int error, enum hy_code otherwise)
{
    switch (error) {
    case EMFILE:
    case ENFILE:
    case ENOSPC:
        return HY_EXHAUSTED;
    case ENOMEM:
    case ENOBUFS:
        return HY_OUT_OF_MEMORY;
    default:
        return otherwise;
    }
}

#endif
