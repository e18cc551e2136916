#include "tests/scenarios/emulation/amx.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_fallback/kernels/fast/simd/tiles.h"

/* Of Intel's manual, volume 2: LDTILECFG, TILELOADD, TILESTORED, TDPBSSD and the others. */

#define CONFIG_TILES 16 /* that a configuration has room for */

/* Registers of a thread. */
static _Thread_local struct {
    struct tile_config config;
    uint8_t bytes[TILE_COUNT][TILE_ROWS][TILE_ROW_BYTES];
} tiles;

static void (*on_fault)(const char *rule);

void emulated_on_fault(void (*handler)(const char *rule))
{
    on_fault = handler;
}

static atomic_int is_granted = 1;
static atomic_uint asked, used;

int emulated_tiles_ask(void)
{
    atomic_fetch_add(&asked, 1);
    return atomic_load(&is_granted);
}

void emulated_tiles_set_result(int result)
{
    atomic_store(&is_granted, result);
}

unsigned emulated_tiles_asked(void)
{
    return atomic_load(&asked);
}

unsigned emulated_tiles_used(void)
{
    return atomic_load(&used);
}

static void require(bool holds, const char *rule)
{
    if (holds)
        return;
    if (on_fault)
        on_fault(rule);
    fprintf(stderr, "tiles: %s\n", rule);
    abort();
}

static void require_config(const struct tile_config *config)
{
    require(config->palette <= 1, "the palette is 0 or 1");
    if (config->palette == 0)
        return;
    for (size_t i = 0; i < sizeof config->reserved; i++)
        require(config->reserved[i] == 0, "reserved bytes are 0");
    for (int tile = 0; tile < CONFIG_TILES; tile++) {
        const unsigned rows = config->rows[tile], bytes = config->row_bytes[tile];
        require(tile < TILE_COUNT || (rows == 0 && bytes == 0), "there are 8 tiles");
        require(rows <= TILE_ROWS, "a tile has 16 rows at most");
        require(bytes <= TILE_ROW_BYTES, "a row has 64 bytes at most");
        require((rows == 0) == (bytes == 0), "a tile has rows and bytes, or neither");
    }
}

void emulated_load_config(const struct tile_config *config)
{
    require_config(config);
    atomic_fetch_add(&used, 1);
    memset(&tiles, 0, sizeof tiles);
    if (config->palette != 0)
        tiles.config = *config;
}

void emulated_lose(void)
{
    memset(tiles.bytes, 0, sizeof tiles.bytes);
}

void emulated_store_config(struct tile_config *config)
{
    *config = tiles.config;
}

void emulated_release(void)
{
    memset(&tiles, 0, sizeof tiles);
}

static void require_tile(int tile)
{
    require(tiles.config.palette == 1, "tiles are configured");
    require(tile >= 0 && tile < TILE_COUNT, "there are 8 tiles");
    require(tiles.config.rows[tile] > 0, "the tile is configured");
}

void emulated_zero(int tile)
{
    require_tile(tile);
    memset(tiles.bytes[tile], 0, sizeof tiles.bytes[tile]);
}

void emulated_load(int tile, const void *from, size_t stride)
{
    const uint8_t *row = from;

    require_tile(tile);
    memset(tiles.bytes[tile], 0, sizeof tiles.bytes[tile]);
    for (int r = 0; r < tiles.config.rows[tile]; r++, row += stride)
        memcpy(tiles.bytes[tile][r], row, tiles.config.row_bytes[tile]);
}

void emulated_store(int tile, void *to, size_t stride)
{
    uint8_t *row = to;

    require_tile(tile);
    for (int r = 0; r < tiles.config.rows[tile]; r++, row += stride)
        memcpy(row, tiles.bytes[tile][r], tiles.config.row_bytes[tile]);
}

static void require_product(int sums, int left, int right)
{
    const struct tile_config *c = &tiles.config;

    require_tile(sums);
    require_tile(left);
    require_tile(right);
    require(sums != left && sums != right && left != right, "the three tiles are different");
    require(c->row_bytes[sums] % 4 == 0 && c->row_bytes[left] % 4 == 0 &&
                c->row_bytes[right] % 4 == 0,
            "rows are whole words");
    require(c->rows[sums] == c->rows[left], "sums have the rows of the left tile");
    require(c->row_bytes[sums] == c->row_bytes[right], "sums have the columns of the right tile");
    require(c->row_bytes[left] == c->rows[right] * 4,
            "left rows are as long as there are right rows");
}

static void multiply(int sums, int left, int right, bool left_is_signed)
{
    const struct tile_config *c = &tiles.config;

    require_product(sums, left, right);
    for (int r = 0; r < c->rows[sums]; r++) {
        const uint8_t *a = tiles.bytes[left][r];
        uint32_t row[TILE_ROW_BYTES / 4];
        memcpy(row, tiles.bytes[sums][r], sizeof row);
        for (int k = 0; k < c->row_bytes[left]; k++) {
            const int factor = left_is_signed ? (int8_t)a[k] : a[k];
            const uint8_t *b = tiles.bytes[right][k / 4] + k % 4;
            for (int column = 0; column < TILE_ROW_BYTES / 4; column++)
                row[column] += (uint32_t)(factor * (int8_t)b[column * 4]);
        }
        memcpy(tiles.bytes[sums][r], row, sizeof row);
    }
}

void emulated_dot_ss(int sums, int left, int right)
{
    multiply(sums, left, right, true);
}

void emulated_dot_us(int sums, int left, int right)
{
    multiply(sums, left, right, false);
}
