/* Options of custom operators. */
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libhalyard/tflite/flexbuffer.h"
#include "tests/unit/tools/kit/flex_writer.h"

static const char *const keys[] = {"a", "count", "mode", "pair", "points", "several", ""};

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_flexbuffer: %s\n", what);
    abort();
}

static void look_at(const struct hy_flex_value *value, size_t size)
{
    struct hy_flex_vector vector;
    double number = 0;

    if (hy_flex_number(value, &number))
        check(!isnan(number), "a number is none");
    hy_flex_is_text(value, "bilinear");
    if (!hy_flex_vector_open(value, &vector))
        return;
    check(vector.count <= size, "a vector has more elements than bytes");
    for (uint32_t i = 0; i < vector.count; i++) {
        if (hy_flex_vector_number(&vector, i, &number))
            check(!isnan(number), "an element is no number");
    }
}

/* Any bytes are either no map, or a map whose values are read within the bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hy_flex_map map;
    struct hy_flex_value value;

    if (!hy_flex_map_open(data, size, &map))
        return 0;
    check(map.count <= HY_FLEX_MAX_KEYS, "a map has too many keys");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (hy_flex_map_find(&map, keys[i], &value))
            look_at(&value, size);
    }
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    static const int32_t points[] = {0, 2, -3, 500};
    static const struct hy_flex_option options[] = {
        {.key = "a", .kind = HY_FLEX_REAL, .number = 0.5},
        {.key = "count", .kind = HY_FLEX_WHOLE, .number = -3},
        {.key = "mode", .kind = HY_FLEX_TEXT, .text = "bilinear"},
        {.key = "pair", .kind = HY_FLEX_PAIR, .count = 2, .ints = points},
        {.key = "points", .kind = HY_FLEX_INTS, .count = 4, .ints = points},
        {.key = "several", .kind = HY_FLEX_MIXED, .count = 2, .ints = points, .number = 1.5},
    };
    enum { COUNT = sizeof options / sizeof *options, CAPACITY = 512 };

    if (index > COUNT)
        return NULL;
    uint8_t *bytes = malloc(CAPACITY);
    if (bytes) /* all together, then one by one */
        *length = hy_flex_write(bytes, CAPACITY, index == 0 ? options : options + index - 1,
                                index == 0 ? COUNT : 1);
    return bytes;
}
