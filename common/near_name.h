#ifndef HY_COMMON_NEAR_NAME_H
#define HY_COMMON_NEAR_NAME_H

#include <stddef.h>

/*
 * The name that was meant by one that is wrong, for "did you mean". NULL: the name is right, or far
 * from all of the `count` names. Near is a name of which up to two letters differ, and fewer than
 * half of them; a name of which the end differs (ISOLATION, ISOLATE); and a name that has all of
 * the words, which '_', '-' and '.' separate (HALYARD_THREADS, HALYARD_CPU_THREADS).
 */
const char *hy_near_name(const char *name, const char *const *names, size_t count);

#endif
