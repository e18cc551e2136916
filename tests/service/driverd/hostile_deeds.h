#ifndef HY_TESTS_HOSTILE_DEEDS_H
#define HY_TESTS_HOSTILE_DEEDS_H

#include <stddef.h>

/* What the parts of the library hostile.c can do. */
struct hostile_deed {
    const char *name;
    int (*act)(const char *argument);
};

#define DEED(name) \
    { \
#name, name \
    }

/* Against other processes, whose number is the argument, and what is allowed of the same calls. */
extern const struct hostile_deed hostile_reach_deeds[];
extern const size_t hostile_reach_deed_count;

/* Against the machine: its memory, its processors, its log. */
extern const struct hostile_deed hostile_resource_deeds[];
extern const size_t hostile_resource_deed_count;

#endif
