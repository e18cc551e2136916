#ifndef HY_PLUGINS_LOADED_OBJECT_H
#define HY_PLUGINS_LOADED_OBJECT_H

#include <stdbool.h>

/* Files in memory: the program, or a library that was loaded into it. */

/* True when both addresses lie in one such file. */
bool hy_loaded_object_is_same(const void *a, const void *b);

/* True for an address in the file that this code is part of. */
bool hy_loaded_object_is_own(const void *address);

#endif
