/* Options of custom operators: maps of numbers by name. */
#include "test.h"

#include <stdlib.h>

#include "libhalyard/tflite/metadata/flexbuffer.h"

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

TEST(flexbuffer, numbers_are_found_by_name)
{
    struct hy_flex_map map;
    REQUIRE(hy_flex_map_open(map_bytes, sizeof map_bytes, &map));
    EXPECT(hy_flex_map_number(&map, "a", 9) == -3);
    EXPECT(hy_flex_map_number(&map, "b", 9) == 0.5);
    EXPECT(hy_flex_map_number(&map, "c", 9) == 1);
    EXPECT(hy_flex_map_number(&map, "d", 9) == 9);
    EXPECT(hy_flex_map_number(&map, "ab", 9) == 9);
}

static void look_up_all(const uint8_t *bytes, size_t length)
{
    struct hy_flex_map map;
    if (!hy_flex_map_open(bytes, length, &map))
        return;
    hy_flex_map_number(&map, "a", 0);
    hy_flex_map_number(&map, "b", 0);
    hy_flex_map_number(&map, "zzzzzzzzzzzzzzzz", 0);
}

/* In memory of just its size, for a sanitizer to see what is read beyond. */
TEST(flexbuffer, torn_and_changed_bytes_are_read_within_their_bounds)
{
    for (size_t length = 0; length <= sizeof map_bytes; length++) {
        uint8_t *torn = malloc(length ? length : 1);
        REQUIRE(torn != NULL);
        memcpy(torn, map_bytes + sizeof map_bytes - length, length);
        look_up_all(torn, length);
        free(torn);
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
