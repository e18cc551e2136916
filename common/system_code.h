#ifndef HY_COMMON_SYSTEM_CODE_H
#define HY_COMMON_SYSTEM_CODE_H

#include "common/error.h"

#include <errno.h>

/*
 * The code of a system call that has failed with this errno value: EXHAUSTED where descriptors (or
 * watches of epoll) are used up, OUT_OF_MEMORY, else `otherwise`. Take it before the words are
 * made: they may change errno.
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
