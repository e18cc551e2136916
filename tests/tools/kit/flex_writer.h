#ifndef HY_TESTS_TOOLS_KIT_FLEX_WRITER_H
#define HY_TESTS_TOOLS_KIT_FLEX_WRITER_H

#include <stdint.h>

/*
 * Writes maps of values by name as FlexBuffers: the options of custom operators. Values, keys and
 * elements have four bytes each.
 */
enum hy_flex_kind {
    HY_FLEX_WHOLE,
    HY_FLEX_REAL,
    HY_FLEX_BOOL,
    HY_FLEX_TEXT,
    HY_FLEX_INTS,  /* a vector of one type */
    HY_FLEX_MIXED, /* a vector of elements with a type each: integers, then one float32 */
    HY_FLEX_PAIR,  /* a vector of two integers, whose count is in its type */
};

struct hy_flex_option {
    const char *key;
    enum hy_flex_kind kind;
    double number; /* of WHOLE, REAL and BOOL; the last element of MIXED */
    const char *text;
    uint32_t count; /* of `ints` */
    const int32_t *ints;
};

/* Gives the length. Options stand in the order of their keys. Aborts where `room` is too small. */
uint32_t hy_flex_write(uint8_t *buffer, uint32_t room, const struct hy_flex_option *options,
                       uint32_t count);

#endif
