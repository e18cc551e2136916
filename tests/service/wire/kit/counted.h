#ifndef HY_TESTS_WIRE_COUNTED_H
#define HY_TESTS_WIRE_COUNTED_H

#include <stddef.h>

/* What the program has asked the system for, since it was asked to count. Needs -Wl,--wrap of
 * malloc, calloc, realloc, and of the system calls of frames. */
struct counted {
    unsigned long allocations;
    size_t largest; /* bytes of one allocation */
    unsigned long system_calls;
};

void counted_start(struct counted *counted);
void counted_stop(struct counted *counted);

/* Allocation number `number` from now on fails; 0: none. */
void counted_fail_at(unsigned long number);

#endif
