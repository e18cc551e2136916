#ifndef HY_COMMON_BUILT_IN_NAMES_H
#define HY_COMMON_BUILT_IN_NAMES_H

#include <stddef.h>

/* Names of the built-in devices, reserved for Halyard: drivers must not use the names. NULL ends
 * the list. */
static inline const char *const *hy_built_in_names(void)
{
    static const char *const names[] = {"halyard-cpu", "nnapi-reference", NULL};
    return names;
}

#endif
