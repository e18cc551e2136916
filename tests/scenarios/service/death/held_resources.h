#ifndef HY_TESTS_DEATH_HELD_RESOURCES_H
#define HY_TESTS_DEATH_HELD_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>

/* System resources held by a child (child.h). Heap leaks are left to sanitizers. */
struct held_resources {
    size_t files;
    unsigned shared; /* shared memory mappings */
};

/* Both functions return false after reporting a failure. Failures are an unreadable /proc, and more
 * resources than before even after a grace period. */
bool held_resources_read(struct held_resources *held_resources);
bool held_resources_have_not_grown(const struct held_resources *before);

#endif
