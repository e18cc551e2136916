/* The rows of TABLE by the header that the build chooses: ROWS names them. */
#include <halyard/driver.h>

#include "layout.h"

#define STRUCT(name_, size_, kind_) \
    {.kind = STRUCT_ROW, \
     .name = #name_, \
     .grows = kind_, \
     .size = (size_), \
     .actual_size = sizeof(struct name_)},
#define GROWN(name_, size_) \
    {.kind = GROWN_ROW, .name = #name_, .size = (size_), .actual_size = sizeof(struct name_)},
#define MEMBER(struct_, member_, offset_, size_) \
    {.kind = MEMBER_ROW, \
     .name = #struct_, \
     .member = #member_, \
     .offset = (offset_), \
     .size = (size_), \
     .actual_offset = offsetof(struct struct_, member_), \
     .actual_size = sizeof(((struct struct_ *)0)->member_)},
#define END(struct_) {.kind = END_ROW, .name = #struct_},
#define VALUE(name_, value_) \
    {.kind = VALUE_ROW, .name = #name_, .size = (value_), .actual_size = (int64_t)(name_)},

enum { FIXED, GROWS };

#define PASTE(a, b) a##b
#define COUNT(rows) PASTE(rows, _count)

const struct layout_row ROWS[] = {
#include TABLE
};
const size_t COUNT(ROWS) = sizeof ROWS / sizeof *ROWS;
