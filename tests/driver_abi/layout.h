#ifndef HY_TESTS_LAYOUT_H
#define HY_TESTS_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* A row of layout_1_0.def or layout_1_1.def, and what a header makes of it. */
struct layout_row {
    enum { STRUCT_ROW, GROWN_ROW, MEMBER_ROW, END_ROW, VALUE_ROW } kind;
    int grows; /* of a struct */
    const char *name;
    const char *member;                 /* NULL: not of a member */
    int64_t offset, size;               /* as in the table; of a value: 0 and the value */
    int64_t actual_offset, actual_size; /* as in the header */
};

/* 1.0 by the header of today and by the frozen one, and what 1.1 adds by that of today. */
extern const struct layout_row layout_today[], layout_frozen[], layout_1_1[];
extern const size_t layout_today_count, layout_frozen_count, layout_1_1_count;

#endif
