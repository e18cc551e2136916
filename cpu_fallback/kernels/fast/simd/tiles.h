#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_TILES_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_TILES_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* The shapes of the tiles, in the format of LDTILECFG and STTILECFG. */
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
 * Loads a tile configuration and saves the previous one in `before`; tiles_give_back() restores it.
 * The configuration belongs to the thread, and other libraries may leave a configuration there
 * between calls. Tile contents are not saved, because no library leaves sums in tiles between
 * calls.
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
        tile_release(); /* less state for the kernel to save */
}

#endif
