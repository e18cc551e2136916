#ifndef HY_TESTS_ALLOCATION_COUNT_H
#define HY_TESTS_ALLOCATION_COUNT_H

/*
 * Number of allocations of the program so far, by all threads. Link with -Wl,--wrap=malloc
 * -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc.
 */
unsigned long hy_allocation_count(void);

/* Makes the allocation with count `number` fail; 0: none. */
void hy_allocation_fail_at(unsigned long number);

#endif
