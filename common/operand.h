#ifndef HY_COMMON_OPERAND_H
#define HY_COMMON_OPERAND_H

#include <halyard/driver.h>

#include <stdbool.h>

static inline bool hy_lifetime_is_constant(int32_t lifetime)
{
    return lifetime == HY_LIFETIME_CONSTANT_COPY || lifetime == HY_LIFETIME_CONSTANT_POOL;
}

#endif
