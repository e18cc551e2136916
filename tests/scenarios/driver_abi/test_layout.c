/*
 * The layout of driver.h is that of 1.0: the table of offsets, sizes and values holds for today's
 * header as for the frozen copy, and is what the page about the ABI says. What 1.1 adds follows it.
 */
#include "layout.h"
#include "tests/kit/test.h"

#include <stdbool.h>
#include <stdlib.h>

#define PAGE DOCS_DIR "/driver-abi.md"

static void expect_same(const char *header, const struct layout_row *row, const char *what,
                        int64_t actual, int64_t frozen)
{
    if (actual == frozen)
        hy_test_pass(__FILE__, __LINE__);
    else
        hy_test_fail(__FILE__, __LINE__, "%s: %s of %s%s%s is %lld, in its table it is %lld",
                     header, what, row->name, row->member ? "." : "",
                     row->member ? row->member : "", (long long)actual, (long long)frozen);
}

/* A struct that grows may be longer in a later header, never shorter. */
static int64_t expected_size(const struct layout_row *row, bool may_have_grown)
{
    const bool has_grown =
        may_have_grown && row->kind == STRUCT_ROW && row->grows && row->actual_size > row->size;
    return has_grown ? row->actual_size : row->size;
}

static const struct layout_row *find_struct(const char *name)
{
    for (size_t i = 0; i < layout_frozen_count; i++) {
        if (layout_frozen[i].kind == STRUCT_ROW && strcmp(layout_frozen[i].name, name) == 0)
            return &layout_frozen[i];
    }
    return NULL;
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

/* Every struct that grew in 1.1 has exactly the new size: 1.2 gets a table of its own. */
TEST(driver_abi_layout, what_1_1_adds_is_at_the_ends_of_the_structs_of_1_0)
{
    int64_t end = 0;

    expect_rows("driver.h", layout_1_1, layout_1_1_count, false);
    for (size_t i = 0; i < layout_1_1_count; i++) {
        const struct layout_row *row = &layout_1_1[i];
        const struct layout_row *before = row->kind == GROWN_ROW ? find_struct(row->name) : NULL;
        if (before)
            end = before->size;
        if (row->kind == STRUCT_ROW)
            end = 0;
        if (row->kind == MEMBER_ROW) {
            expect_same("layout_1_1.def", row, "the end of what stands before", end, row->offset);
            end = row->offset + row->size;
        }
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

/* A row of the page that is being written. */
struct page_row {
    char text[4096];
    size_t length;
};

static void begin_row(struct page_row *row, const char *name, int64_t size, bool grows)
{
    row->length = (size_t)snprintf(row->text, sizeof row->text, "| `%s` | %lld | %s |", name,
                                   (long long)size, grows ? "yes" : "no");
}

static void add_member(struct page_row *row, const struct layout_row *at)
{
    row->length += (size_t)snprintf(row->text + row->length, sizeof row->text - row->length,
                                    "%s %s %lld", row->text[row->length - 1] == '|' ? "" : ",",
                                    at->member, (long long)at->offset);
}

/* What 1.1 adds to a struct of 1.0. */
static void add_members_1_1(struct page_row *row, const char *name)
{
    for (size_t i = 0; i < layout_1_1_count; i++) {
        if (layout_1_1[i].kind == MEMBER_ROW && strcmp(layout_1_1[i].name, name) == 0)
            add_member(row, &layout_1_1[i]);
    }
}

static int64_t size_today(const struct layout_row *row)
{
    for (size_t i = 0; i < layout_1_1_count; i++) {
        if (layout_1_1[i].kind == GROWN_ROW && strcmp(layout_1_1[i].name, row->name) == 0)
            return layout_1_1[i].size;
    }
    return row->size;
}

static void expect_structs_on_page(const char *page, const struct layout_row *rows, size_t count,
                                   bool is_1_0)
{
    struct page_row row = {0};

    for (size_t i = 0; i < count; i++) {
        if (rows[i].kind == STRUCT_ROW)
            begin_row(&row, rows[i].name, is_1_0 ? size_today(&rows[i]) : rows[i].size,
                      rows[i].grows);
        else if (rows[i].kind == MEMBER_ROW && row.length > 0)
            add_member(&row, &rows[i]);
        else if (rows[i].kind == END_ROW) {
            if (is_1_0)
                add_members_1_1(&row, rows[i].name);
            snprintf(row.text + row.length, sizeof row.text - row.length, " |\n");
            expect_on_page(page, row.text);
            row.length = 0;
        }
    }
}

TEST(driver_abi_layout, the_page_has_every_struct_with_its_offsets)
{
    char *page = read_page();
    REQUIRE(page);
    expect_structs_on_page(page, layout_frozen, layout_frozen_count, true);
    expect_structs_on_page(page, layout_1_1, layout_1_1_count, false);
    free(page);
}
