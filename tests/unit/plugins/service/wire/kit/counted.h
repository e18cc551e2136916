#ifndef HY_TESTS_WIRE_COUNTED_H
#define HY_TESTS_WIRE_COUNTED_H

#include <stddef.h>

/* Allocations and system calls of the program since counted_start. Link with -Wl,--wrap of malloc,
 * calloc, realloc, and of the system calls for frames. */
struct counted {
    unsigned long allocations;
    size_t largest; /* bytes of one allocation */
    unsigned long system_calls;
};

void counted_start(struct counted *counted);
void counted_stop(struct counted *counted);

/* Makes allocation number `number` from now on fail; 0: none. */
void counted_fail_at(unsigned long number);

#endif
