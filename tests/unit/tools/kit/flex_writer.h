#ifndef HY_TESTS_UNIT_TOOLS_KIT_FLEX_WRITER_H
#define HY_TESTS_UNIT_TOOLS_KIT_FLEX_WRITER_H

#include <stdint.h>

/*
 * Writes maps of named values as FlexBuffers, for options of custom operators. Values, keys and
 * elements have four bytes each.
 */
enum hy_flex_kind {
    HY_FLEX_WHOLE,
    HY_FLEX_REAL,
    HY_FLEX_BOOL,
    HY_FLEX_TEXT,
    HY_FLEX_INTS,  /* a vector with a single type */
    HY_FLEX_MIXED, /* a vector with a type per element: integers, then one float32 */
    HY_FLEX_PAIR,  /* a vector of two integers, with the length in its type */
};

struct hy_flex_option {
    const char *key;
    enum hy_flex_kind kind;
    double number; /* for WHOLE, REAL and BOOL; last element of MIXED */
    const char *text;
    uint32_t count; /* of `ints` */
    const int32_t *ints;
};

/* Returns the length. Options must be in the order of their keys. Aborts if `capacity` is too
 * small. */
uint32_t hy_flex_write(uint8_t *buffer, uint32_t capacity, const struct hy_flex_option *options,
                       uint32_t count);

#endif
