#include "tests/kit/test.h"

#include <stdlib.h>

#include "libhalyard/tflite/metadata/label_list.h"

/* The text is a copy of just its length: a sanitizer sees a read behind the end. */
static struct hy_label_list make(struct hy_arena *arena, const char *text, size_t length)
{
    struct hy_label_list labels = {0};
    struct hy_error err = {0};
    char *copy = malloc(length + 1);
    if (!copy)
        abort();
    memcpy(copy, text, length);
    if (hy_label_list_make(arena, copy, length, &labels, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    free(copy);
    return labels;
}

/* `want` has the names, each with a '|' behind. */
static void expect_labels(const char *text, size_t length, const char *want)
{
    struct hy_arena arena = {0};
    const struct hy_label_list labels = make(&arena, text, length);
    char joined[128] = "";
    for (uint32_t i = 0; i < labels.count; i++) {
        strcat(joined, labels.names[i]);
        strcat(joined, "|");
    }
    EXPECT_STR(joined, want);
    hy_arena_finish(&arena);
}

#define EXPECT_LABELS(text, want) expect_labels(text, sizeof text - 1, want)

TEST(label_list, a_line_is_a_name_whatever_ends_it)
{
    EXPECT_LABELS("cat\ndog\n", "cat|dog|");
    EXPECT_LABELS("cat\ndog", "cat|dog|");
    EXPECT_LABELS("cat\r\ndog\r\n", "cat|dog|");
    EXPECT_LABELS("cat", "cat|");
}

TEST(label_list, empty_lines_count_but_at_the_end)
{
    EXPECT_LABELS("\ncat\n\ndog\n\n\r\n", "|cat||dog|");
    EXPECT_LABELS("", "");
    EXPECT_LABELS("\n\n", "");
}

TEST(label_list, a_byte_order_mark_is_no_part_of_a_name)
{
    EXPECT_LABELS("\xef\xbb\xbf"
                  "cat\n",
                  "cat|");
    EXPECT_LABELS("\xef\xbb\xbf", "");
}

TEST(label_list, names_are_printable)
{
    EXPECT_LABELS("a\0b\n\x1b[31mred\na\rb\n\xff\nK\xc3\xa4se\n",
                  "a b| [31mred|a b| |K\xc3\xa4se|");
}

TEST(label_list, text_beyond_the_limit_is_refused)
{
    struct hy_arena arena = {0};
    struct hy_label_list labels;
    struct hy_error err = {0};
    EXPECT_INT(hy_label_list_make(&arena, "", (size_t)HY_LABEL_LIST_MAX_BYTES + 1, &labels, &err),
               HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "the limit is");
    hy_arena_finish(&arena);
}
