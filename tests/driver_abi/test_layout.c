/*
 * The layout of driver.h is that of 1.0: the table of offsets, sizes and values holds for today's
 * header as for the frozen copy, and is what the page about the ABI says.
 */
#include "layout.h"
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>

#define PAGE DOCS_DIR "/driver-abi.md"

static void expect_same(const char *header, const struct layout_row *row, const char *what,
                        int64_t actual, int64_t frozen)
{
    if (actual == frozen)
        hy_test_pass(__FILE__, __LINE__);
    else
        hy_test_fail(__FILE__, __LINE__, "%s: %s of %s%s%s is %lld, in 1.0 it is %lld", header,
                     what, row->name, row->member ? "." : "", row->member ? row->member : "",
                     (long long)actual, (long long)frozen);
}

/* A struct that grows may be longer in a later header, never shorter. */
static int64_t expected_size(const struct layout_row *row, bool may_have_grown)
{
    const bool has_grown =
        may_have_grown && row->kind == STRUCT_ROW && row->grows && row->actual_size > row->size;
    return has_grown ? row->actual_size : row->size;
}

static void expect_rows(const char *header, const struct layout_row *rows, size_t count,
                        bool may_have_grown)
{
    for (size_t i = 0; i < count; i++) {
        expect_same(header, &rows[i], rows[i].kind == VALUE_ROW ? "the value" : "the size",
                    rows[i].actual_size, expected_size(&rows[i], may_have_grown));
        expect_same(header, &rows[i], "the offset", rows[i].actual_offset, rows[i].offset);
    }
}

TEST(driver_abi_layout, the_frozen_header_is_that_of_the_table)
{
    EXPECT(layout_frozen_count > 300);
    expect_rows("frozen_1_0", layout_frozen, layout_frozen_count, false);
}

TEST(driver_abi_layout, the_header_of_today_keeps_every_offset_size_and_value)
{
    EXPECT_INT(layout_today_count, layout_frozen_count);
    expect_rows("driver.h", layout_today, layout_today_count, true);
}

/* A struct's members follow one another without a gap that nobody names. */
TEST(driver_abi_layout, no_struct_has_padding)
{
    int64_t end = 0;
    for (size_t i = 0; i < layout_frozen_count; i++) {
        const struct layout_row *row = &layout_frozen[i];
        if (row->kind == STRUCT_ROW)
            end = 0;
        if (row->kind == MEMBER_ROW) {
            expect_same("layout_1_0.def", row, "the end of what stands before", end, row->offset);
            end = row->offset + row->size;
        }
    }
}

/* ---- The page -------------------------------------------------------------------------------- */

static char *read_page(void)
{
    FILE *file = fopen(PAGE, "re");
    char *text = calloc(1, 1 << 20);
    size_t length = file && text ? fread(text, 1, (1 << 20) - 1, file) : 0;
    if (file)
        fclose(file);
    if (length == 0) {
        free(text);
        return NULL;
    }
    return text;
}

static void expect_on_page(const char *page, const char *row)
{
    if (strstr(page, row))
        hy_test_pass(__FILE__, __LINE__);
    else
        hy_test_fail(__FILE__, __LINE__, "docs/driver-abi.md has no row %s", row);
}

TEST(driver_abi_layout, the_page_has_every_struct_with_its_offsets)
{
    char *page = read_page(), row[4096] = "";
    REQUIRE(page);
    size_t length = 0;
    for (size_t i = 0; i < layout_frozen_count; i++) {
        const struct layout_row *at = &layout_frozen[i];
        switch (at->kind) {
        case STRUCT_ROW:
            length = (size_t)snprintf(row, sizeof row, "| `%s` | %lld | %s |", at->name,
                                      (long long)at->size, at->grows ? "yes" : "no");
            break;
        case MEMBER_ROW:
            length += (size_t)snprintf(row + length, sizeof row - length, "%s %s %lld",
                                       row[length - 1] == '|' ? "" : ",", at->member,
                                       (long long)at->offset);
            break;
        case END_ROW:
            snprintf(row + length, sizeof row - length, " |\n");
            expect_on_page(page, row);
            break;
        case VALUE_ROW:
            break;
        }
    }
    free(page);
}
