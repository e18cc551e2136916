#ifndef HY_TESTS_KERNELS_GUARDED_H
#define HY_TESTS_KERNELS_GUARDED_H

#include <stddef.h>

/*
 * Memory that ends exactly where an unmapped page begins: one byte read or written beyond its end
 * kills the test. Blocks come from one of GUARDED_SLOTS slots, one block per slot at a time; taking
 * the next block of a slot drops the one before. The bytes before a block hold a pattern.
 */
enum { GUARDED_SLOTS = 8, GUARDED_SIZE = 1 << 23 };

/* `bytes` up to GUARDED_SIZE / 2, all of one value; aborts when memory cannot be mapped. */
void *guarded_take(int slot, size_t bytes, int fill);

/* True while nobody wrote into the 64 bytes before the slot's block. */
int guarded_front_is_intact(int slot);

#endif
