#ifndef HY_CPU_FALLBACK_CACHE_CACHE_LAYOUT_H
#define HY_CPU_FALLBACK_CACHE_CACHE_LAYOUT_H

#include "cpu_fallback/cpu_prepared.h"

/*
 * Chooses the storage of each operand of a compiled subgraph in the cache files. The result is an
 * array in `memory`, with an HY_CPU_PLACE_* per operand. NULL: out of memory.
 *
 * The data cache gets only the data of kernels: large tensors of floats and of 8-bit quantized
 * values. Parameters of operations go to the model cache.
 */
uint8_t *hy_cpu_cache_layout(const struct hy_cpu_prepared *prepared, struct hy_arena *memory);

#endif
