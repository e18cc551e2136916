#ifndef HY_TESTS_DEATH_HOLDING_H
#define HY_TESTS_DEATH_HOLDING_H

#include <stdbool.h>
#include <stddef.h>

/* System resources held by a child (child.h). Heap leaks are left to sanitizers. */
struct holding {
    size_t files;
    unsigned shared; /* shared memory mappings */
};

/* Both functions return false after reporting a failure. Failures are an unreadable /proc, and more
 * resources than before even after a grace period. */
bool holding_look(struct holding *holding);
bool holding_is_no_more_than(const struct holding *before);

#endif
