#ifndef HY_CPU_FALLBACK_KERNELS_TILE_CHECK_H
#define HY_CPU_FALLBACK_KERNELS_TILE_CHECK_H

#include <stdbool.h>

/*
 * Tests whether AMX tiles keep their contents, in a process with permission to use tiles. Some
 * guests lose tiles when a thread leaves its processor. The test starts sums, calls sched_yield(),
 * finishes the sums and compares the results.
 */
bool hy_tiles_compute(void);

#endif
