#ifndef HY_CPU_FALLBACK_KERNELS_TILE_CHECK_H
#define HY_CPU_FALLBACK_KERNELS_TILE_CHECK_H

#include <stdbool.h>

/*
 * Whether tiles (AMX) hold what is in them, for a process that may use them. Some guests lose it
 * when a thread leaves its processor: sums are begun, the thread offers its processor to others,
 * and the sums are finished and compared.
 */
bool hy_tiles_compute(void);

#endif
