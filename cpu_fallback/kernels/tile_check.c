#include "cpu_fallback/kernels/tile_check.h"

#include <sched.h>

#include "cpu_fallback/kernels/fast/simd/tiles.h"

#define CHECKED_SUMS (TILE_ROWS * TILE_ROW_BYTES / 4)

bool hy_tiles_compute(void)
{
    static const struct tile_config config = {
        .palette = 1, .row_bytes = {64, 64, 64}, .rows = {16, 16, 16}};
    int8_t left[TILE_ROWS][TILE_ROW_BYTES], right[TILE_ROWS][TILE_ROW_BYTES];
    int32_t sums[CHECKED_SUMS];
    struct tile_config before;
    bool are_right = true;

    for (int i = 0; i < TILE_ROWS * TILE_ROW_BYTES; i++) {
        left[i / TILE_ROW_BYTES][i % TILE_ROW_BYTES] = (int8_t)(i / TILE_ROW_BYTES - 7);
        right[i / TILE_ROW_BYTES][i % TILE_ROW_BYTES] = (int8_t)(i % TILE_ROW_BYTES / 4 + 1);
    }
    tiles_hold(&config, &before);
    tile_zero(0);
    tile_load(1, left, TILE_ROW_BYTES);
    tile_load(2, right, TILE_ROW_BYTES);
    tile_dot_ss(0, 1, 2);
    sched_yield();
    tile_dot_ss(0, 1, 2);
    tile_store(0, sums, TILE_ROW_BYTES);
    tiles_give_back(&before);
    for (int i = 0; i < CHECKED_SUMS; i++)
        are_right = are_right && sums[i] == 2 * 64 * (i / 16 - 7) * (i % 16 + 1);
    return are_right;
}
