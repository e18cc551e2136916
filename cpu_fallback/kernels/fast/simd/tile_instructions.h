#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_TILE_INSTRUCTIONS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_TILE_INSTRUCTIONS_H

/*
 * The AMX instructions of the kernels, as inline assembly. Every compiler then accepts the
 * instructions without an option, reads the whole configuration (gcc 12 assumes 8 bytes), and keeps
 * their order.
 *
 * Tiles are named by literal numbers. A tile has up to 16 rows of up to 64 bytes, as loaded with
 * the configuration. `stride` is the distance between rows in bytes.
 *
 * tile_dot_ss and tile_dot_us add products of bytes to the 32-bit sums of tile `sums`, modulo 2^32.
 * Bytes of `left` are signed (ss) or unsigned (us), bytes of `right` are signed. Column c of row r
 * receives byte 4 * k + i of row r of `left` times byte 4 * c + i of row k of `right`, for all k
 * and for i from 0 to 3.
 */
static inline void tile_load_config(const struct tile_config *config)
{
    __asm__ volatile("ldtilecfg %0" : : "m"(*config) : "memory");
}

static inline void tile_store_config(struct tile_config *config)
{
    __asm__ volatile("sttilecfg %0" : "=m"(*config) : : "memory");
}

static inline void tile_release(void)
{
    __asm__ volatile("tilerelease" : : : "memory");
}

#define tile_load(tile, from, stride) \
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #tile \
                     : \
                     : "r"((const void *)(from)), "r"((size_t)(stride)) \
                     : "memory")

#define tile_store(tile, to, stride) \
    __asm__ volatile("tilestored %%tmm" #tile ", (%0,%1,1)" \
                     : \
                     : "r"((void *)(to)), "r"((size_t)(stride)) \
                     : "memory")

#define tile_zero(tile) __asm__ volatile("tilezero %%tmm" #tile : : :)

#define tile_dot_ss(sums, left, right) \
    __asm__ volatile("tdpbssd %%tmm" #right ", %%tmm" #left ", %%tmm" #sums : : :)

#define tile_dot_us(sums, left, right) \
    __asm__ volatile("tdpbusd %%tmm" #right ", %%tmm" #left ", %%tmm" #sums : : :)

#endif
