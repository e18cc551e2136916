#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_TILES_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_TILES_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* The shapes of the tiles: what LDTILECFG reads and STTILECFG writes. */
struct tile_config {
    uint8_t palette; /* 1; 0: no tiles are configured */
    uint8_t start_row;
    uint8_t reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

static_assert(sizeof(struct tile_config) == 64, "as the processor has it");

#define TILE_COUNT     8
#define TILE_ROWS      16
#define TILE_ROW_BYTES 64

#include "cpu_fallback/kernels/fast/simd/tile_instructions.h"

/*
 * The configuration is a register of the thread, and other libraries leave theirs in it from call
 * to call: it is kept, and put back. What is in the tiles is not: nobody leaves sums there.
 */
static inline void tiles_hold(const struct tile_config *config, struct tile_config *before)
{
    tile_store_config(before);
    tile_load_config(config);
}

static inline void tiles_give_back(const struct tile_config *before)
{
    if (before->palette != 0)
        tile_load_config(before);
    else
        tile_release(); /* less for the kernel to save */
}

#endif
