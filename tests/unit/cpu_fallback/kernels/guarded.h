#ifndef HY_TESTS_KERNELS_GUARDED_H
#define HY_TESTS_KERNELS_GUARDED_H

#include <stddef.h>

/*
 * Memory with an unmapped page directly behind the end. A read or write beyond the end crashes the
 * test. Each of GUARDED_SLOTS slots holds one block at a time; a new block of a slot replaces the
 * old block. The bytes before a block hold a pattern.
 */
enum { GUARDED_SLOTS = 8, GUARDED_SIZE = 1 << 23 };

/* A block of up to GUARDED_SIZE / 2 bytes, filled with one value. Aborts if memory cannot be
 * mapped. */
void *guarded_alloc(int slot, size_t bytes, int fill);

/* True while the 64 bytes before the slot's block are unchanged. */
int guarded_front_is_intact(int slot);

#endif
