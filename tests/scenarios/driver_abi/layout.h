#ifndef HY_TESTS_LAYOUT_H
#define HY_TESTS_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* A row of layout_1_0.def or layout_1_1.def, with the actual layout of a header. */
struct layout_row {
    enum { STRUCT_ROW, GROWN_ROW, MEMBER_ROW, END_ROW, VALUE_ROW } kind;
    int grows; /* struct may grow */
    const char *name;
    const char *member;   /* NULL: no member row */
    int64_t offset, size; /* as in the table; a value has offset 0 and its value as size */
    int64_t actual_offset, actual_size; /* as in the header */
};

/* The 1.0 rows for the current and for the frozen header, and the 1.1 rows for the current
 * header. */
extern const struct layout_row layout_today[], layout_frozen[], layout_1_1[];
extern const size_t layout_today_count, layout_frozen_count, layout_1_1_count;

#endif
