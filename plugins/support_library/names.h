#ifndef HY_PLUGINS_SUPPORT_LIBRARY_NAMES_H
#define HY_PLUGINS_SUPPORT_LIBRARY_NAMES_H

#include "halyard/driver.h"

#include <stddef.h>

/*
 * Extensions go by numbers on each side, given out by either for itself, and by names between them.
 * The name that a prefix stands for in this list; NULL: it is none.
 */
static inline const char *hy_sl_extension_name(const struct hy_extension_prefix *list,
                                               uint32_t count, uint32_t prefix)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].prefix == prefix)
            return list[i].name;
    }
    return NULL;
}

#endif
