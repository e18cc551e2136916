#ifndef HY_COMMON_BUILT_IN_NAMES_H
#define HY_COMMON_BUILT_IN_NAMES_H

#include <stddef.h>

/* Names of the built-in devices, which no driver may give to a device of its own; NULL ends them.
 */
static inline const char *const *hy_built_in_names(void)
{
    static const char *const names[] = {"halyard-cpu", "nnapi-reference", NULL};
    return names;
}

#endif
