/* Options of custom operators: maps of values by name. */
#include "tests/kit/test.h"

#include <stdlib.h>

#include "libhalyard/tflite/flexbuffer.h"

/* {"a": -3, "b": 0.5f, "c": true}, values of four bytes, keys of one:
 * keys, vector of their offsets, vector of values with its types, root. */
static const uint8_t map_bytes[] = {
    'a',        0,          'b',         0,    'c', 0, /* 0: the keys */
    3,                                                 /* 6: three of them */
    7,          6,          5,                         /* 7: their offsets, backwards */
    0,          0,                                     /* 10: padding */
    5,          0,          0,           0,            /* 12: offset of the keys: at 7 */
    1,          0,          0,           0,            /* 16: a key's offset has one byte */
    3,          0,          0,           0,            /* 20: three values */
    0xfd,       0xff,       0xff,        0xff,         /* 24: -3 */
    0,          0,          0,           0x3f,         /* 28: 0.5f */
    1,          0,          0,           0,            /* 32: true */
    1 << 2 | 2, 3 << 2 | 2, 26 << 2 | 2,               /* 36: their types */
    15,                                                /* 39: root: offset of the values */
    9 << 2 | 2, 1,                                     /* 40: a map of four bytes; one byte */
};

/* The number under a key; 9 where there is none. */
static double number_of(const struct hy_flex_map *map, const char *key)
{
    struct hy_flex_value value;
    double number = 0;
    return hy_flex_map_find(map, key, &value) && hy_flex_number(&value, &number) ? number : 9;
}

TEST(flexbuffer, numbers_are_found_by_name)
{
    struct hy_flex_map map;
    REQUIRE(hy_flex_map_open(map_bytes, sizeof map_bytes, &map));
    EXPECT(number_of(&map, "a") == -3);
    EXPECT(number_of(&map, "b") == 0.5);
    EXPECT(number_of(&map, "c") == 1);
    EXPECT(number_of(&map, "d") == 9);
    EXPECT(number_of(&map, "ab") == 9);
}

/* ---- Vectors and texts ----------------------------------------------------------------------- */

/* {"v": value}, with elements of one byte: what is in front of the map, and the value's type and
 * offset from the place of the value. */
static bool open_value(const uint8_t *front, uint8_t bytes, uint8_t start, uint8_t type,
                       uint8_t buffer[64], struct hy_flex_value *value)
{
    const uint8_t values = bytes + 7;
    const uint8_t rest[] = {
        'v',
        0,
        1,
        3, /* the key, one of them, its offset from here */
        1,
        1,
        1, /* offset of the keys, width of a key's offset, one value */
        (uint8_t)(values - start),
        type,
        2,
        9 << 2,
        1,
    };
    struct hy_flex_map map;

    memcpy(buffer, front, bytes);
    memcpy(buffer + bytes, rest, sizeof rest);
    return hy_flex_map_open(buffer, bytes + sizeof rest, &map) &&
           hy_flex_map_find(&map, "v", value);
}

static void expect_elements(const uint8_t *front, uint8_t bytes, uint8_t start, uint8_t type,
                            uint32_t count, const double *wanted)
{
    struct hy_flex_value value;
    struct hy_flex_vector vector;
    uint8_t buffer[64];
    double number = 0;

    REQUIRE(open_value(front, bytes, start, type, buffer, &value));
    EXPECT(!hy_flex_number(&value, &number));
    REQUIRE(hy_flex_vector_open(&value, &vector));
    REQUIRE(vector.count == count);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT(hy_flex_vector_number(&vector, i, &number));
        EXPECT(number == wanted[i]);
    }
}

TEST(flexbuffer, vectors_of_numbers_have_one_type_or_a_type_each)
{
    static const uint8_t typed[] = {3, 0xff, 7, 200}, mixed[] = {2, 0xff, 0xfe, 1 << 2, 2 << 2};
    static const uint8_t wide[] = {2, 0, 0x2c, 1, 0xff, 0xff};
    static const uint8_t reals[] = {1, 0, 0, 0, 0, 0, 0xc0, 0x3f};

    expect_elements(typed, sizeof typed, 1, 11 << 2, 3, (const double[]){-1, 7, -56});
    expect_elements(typed, sizeof typed, 1, 12 << 2, 3, (const double[]){255, 7, 200});
    expect_elements(typed, sizeof typed, 1, 36 << 2, 3, (const double[]){255, 7, 200});
    expect_elements(mixed, sizeof mixed, 1, 10 << 2, 2, (const double[]){-1, 254});
    expect_elements(wide, sizeof wide, 2, 11 << 2 | 1, 2, (const double[]){300, -1});
    expect_elements(reals, sizeof reals, 4, 13 << 2 | 2, 1, (const double[]){1.5});
    expect_elements(typed, sizeof typed, 1, 16 << 2, 2, (const double[]){-1, 7});       /* INT2 */
    expect_elements(typed, sizeof typed, 1, 20 << 2, 3, (const double[]){255, 7, 200}); /* UINT3 */
}

TEST(flexbuffer, a_vector_beyond_its_bytes_is_none)
{
    static const uint8_t counts[] = {250, 1, 2, 3};
    struct hy_flex_vector vector;
    struct hy_flex_value value;
    uint8_t buffer[64];

    REQUIRE(open_value(counts, sizeof counts, 1, 11 << 2, buffer, &value));
    EXPECT(!hy_flex_vector_open(&value, &vector));
    REQUIRE(open_value(counts, sizeof counts, 0, 11 << 2, buffer, &value)); /* no count before */
    EXPECT(!hy_flex_vector_open(&value, &vector));
    REQUIRE(open_value(counts, sizeof counts, 1, 14 << 2, buffer, &value)); /* of keys */
    EXPECT(!hy_flex_vector_open(&value, &vector));
    REQUIRE(open_value(counts, sizeof counts, 1, 1 << 2, buffer, &value));
    EXPECT(!hy_flex_vector_open(&value, &vector));
}

TEST(flexbuffer, texts_are_compared_in_full)
{
    static const uint8_t text[] = {4, 'm', 'o', 'd', 'e', 0};
    struct hy_flex_value value;
    uint8_t buffer[64];

    REQUIRE(open_value(text, sizeof text, 1, 5 << 2, buffer, &value));
    EXPECT(hy_flex_is_text(&value, "mode"));
    EXPECT(!hy_flex_is_text(&value, "mod"));
    EXPECT(!hy_flex_is_text(&value, "modes"));
    REQUIRE(open_value(text, sizeof text, 1, 11 << 2, buffer, &value));
    EXPECT(!hy_flex_is_text(&value, "mode"));
}

TEST(flexbuffer, a_map_of_more_keys_than_options_is_none)
{
    enum { KEYS = HY_FLEX_MAX_KEYS + 1 };
    static uint8_t bytes[2 + 2 * KEYS + 16 + 9 * KEYS];
    struct hy_flex_map map;

    for (unsigned count = HY_FLEX_MAX_KEYS; count <= KEYS; count++) {
        size_t at = 0;
        const uint16_t before[] = {(uint16_t)count};
        memcpy(bytes + at, before, 2);
        at += 2 + 2 * count; /* offsets of 0: each key is where its offset is */
        const uint16_t head[] = {(uint16_t)(2 * count), 2, (uint16_t)count};
        memcpy(bytes + at, head, sizeof head);
        at += sizeof head;
        const size_t values = at;
        at += 3 * (size_t)count; /* numbers and types */
        const uint16_t root = (uint16_t)(at - values);
        memcpy(bytes + at, &root, 2);
        bytes[at + 2] = 9 << 2 | 1;
        bytes[at + 3] = 2;
        EXPECT_INT(hy_flex_map_open(bytes, at + 4, &map), count <= HY_FLEX_MAX_KEYS);
    }
}

/* ---- Torn bytes ------------------------------------------------------------------------------ */

static void look_up_all(const uint8_t *bytes, size_t length)
{
    struct hy_flex_map map;
    if (!hy_flex_map_open(bytes, length, &map))
        return;
    number_of(&map, "a");
    number_of(&map, "b");
    number_of(&map, "zzzzzzzzzzzzzzzz");
}

/* In memory of just its size, for a sanitizer to see what is read beyond. */
TEST(flexbuffer, torn_and_changed_bytes_are_read_within_their_bounds)
{
    for (size_t length = 0; length <= sizeof map_bytes; length++) {
        uint8_t *truncated = malloc(length ? length : 1);
        REQUIRE(truncated != NULL);
        memcpy(truncated, map_bytes + sizeof map_bytes - length, length);
        look_up_all(truncated, length);
        free(truncated);
    }
    uint8_t *changed = malloc(sizeof map_bytes);
    REQUIRE(changed != NULL);
    for (size_t at = 0; at < sizeof map_bytes; at++) {
        for (unsigned value = 0; value < 256; value++) {
            memcpy(changed, map_bytes, sizeof map_bytes);
            changed[at] = (uint8_t)value;
            look_up_all(changed, sizeof map_bytes);
        }
    }
    free(changed);
    EXPECT(true);
}
