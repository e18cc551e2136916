/* The emulated tile instructions: their products, and the rules whose breach is a fault. */
#include <sched.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "cpu_fallback/kernels/fast/simd/tiles.h"
#include "cpu_fallback/kernels/tile_check.h"
#include "tests/kit/test.h"

/* 3 rows of 8 bytes by 2 rows of 5 columns. */
static struct tile_config small_config(void)
{
    return (struct tile_config){.palette = 1, .row_bytes = {20, 8, 20, 20}, .rows = {3, 3, 2, 3}};
}

static jmp_buf refused;
static const char *broken;

static void note_fault(const char *rule)
{
    broken = rule;
    longjmp(refused, 1);
}

/* The rule that the instruction breaks; "" where it breaks none. */
#define RULE_OF(instruction) \
    (broken = "", emulated_on_fault(note_fault), \
     setjmp(refused) == 0 ? (void)(instruction) : (void)0, emulated_on_fault(NULL), broken)

/* The words of a configuration that is like small_config() but for one thing. */
static const char *rule_of(const struct tile_config *config)
{
    return RULE_OF(tile_load_config(config));
}

TEST(emulated_tiles, configurations_have_the_limits_of_the_processor)
{
    struct tile_config c = small_config();

    EXPECT_STR(rule_of(&c), "");
    c.palette = 2;
    EXPECT_STR(rule_of(&c), "the palette is 0 or 1");
    c = small_config();
    c.reserved[3] = 1;
    EXPECT_STR(rule_of(&c), "reserved bytes are 0");
    c = small_config();
    c.rows[1] = 17;
    EXPECT_STR(rule_of(&c), "a tile has 16 rows at most");
    c = small_config();
    c.row_bytes[1] = 65;
    EXPECT_STR(rule_of(&c), "a row has 64 bytes at most");
    c = small_config();
    c.rows[7] = 1;
    EXPECT_STR(rule_of(&c), "a tile has rows and bytes, or neither");
    c = small_config();
    c.rows[8] = c.row_bytes[8] = 4;
    EXPECT_STR(rule_of(&c), "there are 8 tiles");
    tile_release();
}

TEST(emulated_tiles, nothing_works_on_tiles_that_are_not_configured)
{
    const struct tile_config c = small_config();
    uint8_t bytes[64] = {0};

    tile_release();
    EXPECT_STR(RULE_OF(tile_zero(0)), "tiles are configured");
    EXPECT_STR(RULE_OF(tile_load(0, bytes, 0)), "tiles are configured");
    EXPECT_STR(RULE_OF(tile_store(0, bytes, 0)), "tiles are configured");
    EXPECT_STR(RULE_OF(tile_dot_ss(0, 1, 2)), "tiles are configured");
    tile_load_config(&c);
    EXPECT_STR(RULE_OF(tile_zero(5)), "the tile is configured");
    EXPECT_STR(RULE_OF(tile_dot_us(0, 5, 2)), "the tile is configured");
    tile_release();
}

TEST(emulated_tiles, products_take_tiles_that_fit)
{
    struct tile_config c = small_config();

    tile_load_config(&c);
    EXPECT_STR(RULE_OF(tile_dot_ss(0, 1, 2)), "");
    EXPECT_STR(RULE_OF(tile_dot_ss(0, 1, 1)), "the three tiles are different");
    EXPECT_STR(RULE_OF(tile_dot_ss(0, 0, 2)), "the three tiles are different");
    EXPECT_STR(RULE_OF(tile_dot_ss(2, 1, 0)), "sums have the rows of the left tile");
    EXPECT_STR(RULE_OF(tile_dot_ss(1, 0, 2)), "sums have the columns of the right tile");
    EXPECT_STR(RULE_OF(tile_dot_ss(0, 3, 2)), "left rows are as long as there are right rows");
    c.row_bytes[1] = 7;
    tile_load_config(&c);
    EXPECT_STR(RULE_OF(tile_dot_ss(0, 1, 2)), "rows are whole words");
    tile_release();
}

TEST(emulated_tiles, what_another_has_configured_is_put_back)
{
    const struct tile_config theirs = small_config(),
                             ours = {.palette = 1, .row_bytes = {64, 64, 64}, .rows = {16, 16, 16}};
    struct tile_config before, after;

    tile_load_config(&theirs);
    tiles_hold(&ours, &before);
    EXPECT(memcmp(&before, &theirs, sizeof before) == 0);
    tiles_give_back(&before);
    tile_store_config(&after);
    EXPECT(memcmp(&after, &theirs, sizeof after) == 0);

    tile_release();
    tiles_hold(&ours, &before);
    EXPECT_INT(before.palette, 0);
    tiles_give_back(&before);
    tile_store_config(&after);
    EXPECT_INT(after.palette, 0);
}

/* Rows and columns behind a tile's own are zeros, whatever was there before. */
TEST(emulated_tiles, loads_clear_what_they_do_not_read)
{
    const struct tile_config c = small_config();
    uint8_t from[3][20], to[3][20];

    memset(from, 7, sizeof from);
    memset(to, 1, sizeof to);
    tile_load_config(&c);
    tile_load(0, from, 20);
    tile_store(0, to, 20);
    EXPECT(memcmp(from, to, sizeof to) == 0);
    tile_zero(0);
    tile_store(0, to, 20);
    memset(from, 0, sizeof from);
    EXPECT(memcmp(from, to, sizeof to) == 0);
    tile_release();
}

struct matrices {
    uint8_t left[TILE_ROWS][TILE_ROW_BYTES], right[TILE_ROWS][TILE_ROW_BYTES];
    int32_t sums[TILE_ROWS][TILE_ROW_BYTES / 4];
};

static void fill(struct hy_random *r, struct matrices *m)
{
    for (size_t i = 0; i < sizeof m->left; i++) {
        ((uint8_t *)m->left)[i] = (uint8_t)hy_random_between(r, 0, 255);
        ((uint8_t *)m->right)[i] = (uint8_t)hy_random_between(r, 0, 255);
    }
    for (size_t i = 0; i < TILE_ROWS * TILE_ROW_BYTES / 4; i++)
        ((int32_t *)m->sums)[i] = hy_random_between(r, INT32_MIN, INT32_MAX);
}

/* By the definition in tile_instructions.h. */
static int32_t sum_at(const struct matrices *m, int row, int column, int depth, bool is_signed)
{
    uint32_t sum = (uint32_t)m->sums[row][column];

    for (int k = 0; k < depth; k++) {
        const uint8_t left = m->left[row][k];
        const int8_t right = (int8_t)m->right[k / 4][column * 4 + k % 4];
        sum += (uint32_t)((is_signed ? (int8_t)left : left) * right);
    }
    return (int32_t)sum;
}

static void check_product(struct hy_random *r, int rows, int groups, int columns, bool is_signed)
{
    const struct tile_config c = {
        .palette = 1,
        .row_bytes = {(uint16_t)(columns * 4), (uint16_t)(groups * 4), (uint16_t)(columns * 4)},
        .rows = {(uint8_t)rows, (uint8_t)rows, (uint8_t)groups}};
    int32_t got[TILE_ROWS][TILE_ROW_BYTES / 4] = {0};
    struct matrices m;

    fill(r, &m);
    tile_load_config(&c);
    tile_load(0, m.sums, TILE_ROW_BYTES);
    tile_load(1, m.left, TILE_ROW_BYTES);
    tile_load(2, m.right, TILE_ROW_BYTES);
    if (is_signed)
        tile_dot_ss(0, 1, 2);
    else
        tile_dot_us(0, 1, 2);
    tile_store(0, got, TILE_ROW_BYTES);
    tile_release();
    for (int row = 0; row < TILE_ROWS; row++)
        for (int column = 0; column < TILE_ROW_BYTES / 4; column++)
            EXPECT_INT(got[row][column], row < rows && column < columns
                                             ? sum_at(&m, row, column, groups * 4, is_signed)
                                             : 0);
}

TEST(emulated_tiles, products_are_those_of_the_definition)
{
    struct hy_random r = {1};

    for (int i = 0; i < 200; i++)
        check_product(&r, hy_random_between(&r, 1, 16), hy_random_between(&r, 1, 16),
                      hy_random_between(&r, 1, 16), i % 2 == 0);
}

static bool loses; /* whoever waits */
static int waits;

/* In the place of the system's. */
int sched_yield(void)
{
    waits++;
    if (loses)
        emulated_lose();
    return 0;
}

TEST(emulated_tiles, a_guest_that_loses_tiles_is_found_out)
{
    struct tile_config after;

    waits = 0;
    loses = false;
    EXPECT(hy_tiles_compute());
    loses = true;
    EXPECT(!hy_tiles_compute());
    EXPECT_INT(waits, 2);
    tile_store_config(&after);
    EXPECT_INT(after.palette, 0);
}
