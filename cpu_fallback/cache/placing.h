#ifndef HY_CPU_FALLBACK_CACHE_PLACING_H
#define HY_CPU_FALLBACK_CACHE_PLACING_H

#include "cpu_fallback/prepared.h"

/*
 * Decides for each operand of a compiled subgraph where its value goes in the cache files: one
 * HY_CPU_PLACE_* per operand, in `memory`. NULL: out of memory.
 *
 * Only what kernels merely compute with may be data: large tensors of floats and of 8-bit
 * quantised values, unless an operation takes them for a parameter.
 */
uint8_t *hy_cpu_cache_place(const struct hy_cpu_prepared *prepared, struct hy_arena *memory);

#endif
