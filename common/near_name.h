#ifndef HY_COMMON_NEAR_NAME_H
#define HY_COMMON_NEAR_NAME_H

#include <stddef.h>

/*
 * Returns the probably intended name for a wrong name, for "did you mean". NULL: the name is
 * correct, or not similar to any of the `count` names. Similar are: a name that differs in at most
 * two letters and fewer than half of its letters; a name with a different ending (ISOLATION,
 * ISOLATE); a name with all the words of the wrong name, separated by '_', '-' or '.'
 * (HALYARD_THREADS, HALYARD_CPU_THREADS).
 */
const char *hy_near_name(const char *name, const char *const *names, size_t count);

#endif
