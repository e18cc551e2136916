#ifndef HY_CPU_FALLBACK_KERNELS_TILE_PERMISSION_H
#define HY_CPU_FALLBACK_KERNELS_TILE_PERMISSION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * AMX tiles are 8 KiB more of state in each thread. Linux grants tiles to a process on request, for
 * the life of the process. The grant has a cost: signal frames need 11,952 bytes afterwards, and
 * sigaltstack() refuses smaller stacks. The request is therefore made when the first operation with
 * a tile kernel is prepared, and not before.
 */

/* Whether processor and kernel support tiles of 8-bit products. Makes no request. The result is the
 * same for the life of the process. */
bool hy_tiles_exist(void);

/* Whether this process may use tiles and tiles work. The first call makes the request and the test;
 * later calls return the same result. Safe to call from any thread. */
int hy_tiles_ask(void);

/* Why a processor with tiles is used without tiles. NULL if the processor has no tiles, if tiles
 * are used, or if no request was made. */
const char *hy_tiles_refusal(void);

/* The system calls and checks, replaceable in tests. */
struct hy_tile_system {
    bool (*kernel_saves)(void);                      /* whether the kernel saves tiles */
    int (*arch_prctl)(int code, uintptr_t argument); /* 0, or an errno */
    bool (*compute)(void);                           /* tests tiles, as hy_tiles_compute() */
};

/* Why the system has no tiles, and why the process may not use tiles; NULL if there is no
 * obstacle. */
const char *hy_tiles_missing(const struct hy_tile_system *system);
const char *hy_tiles_refused(const struct hy_tile_system *system);

#endif
