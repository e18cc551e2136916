#ifndef HY_PLUGINS_LOADED_OBJECT_H
#define HY_PLUGINS_LOADED_OBJECT_H

#include <stdbool.h>

/* Compares addresses by the loaded object (the program or a shared library) at the address. */

/* Returns true when both addresses lie in the same loaded object. */
bool hy_loaded_object_is_same(const void *a, const void *b);

/* Returns true for an address in the loaded object that contains Halyard itself. */
bool hy_loaded_object_is_own(const void *address);

#endif
