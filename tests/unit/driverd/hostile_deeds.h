#ifndef HY_TESTS_HOSTILE_DEEDS_H
#define HY_TESTS_HOSTILE_DEEDS_H

#include <stddef.h>

/* The deeds of the parts of the library hostile.c. */
struct hostile_deed {
    const char *name;
    int (*act)(const char *argument);
};

#define DEED(name) \
    { \
#name, name \
    }

/* Deeds against other processes, with the pid as argument, and permitted uses of the same system
 * calls. */
extern const struct hostile_deed hostile_reach_deeds[];
extern const size_t hostile_reach_deed_count;

/* Deeds against the machine: memory, processors, log. */
extern const struct hostile_deed hostile_resource_deeds[];
extern const size_t hostile_resource_deed_count;

#endif
