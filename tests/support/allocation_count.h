#ifndef HY_TESTS_ALLOCATION_COUNT_H
#define HY_TESTS_ALLOCATION_COUNT_H

/*
 * How often the program has asked for memory so far, by any thread. Every allocation comes by here,
 * if the program is linked with
 * -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc.
 */
unsigned long hy_allocation_count(void);

/* The allocation that makes the count `number` fails; 0: none. */
void hy_allocation_fail_at(unsigned long number);

#endif
