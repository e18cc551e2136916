#include "common/printable.h"

#include "common/error.h"
#include "tests/kit/test.h"

TEST(printable, valid_utf8_without_controls_is_clean)
{
    EXPECT(hy_text_is_clean(""));
    EXPECT(hy_text_is_clean("plain ~"));
    EXPECT(hy_text_is_clean("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf"));
}

TEST(printable, everything_else_is_not_and_can_be_cleaned)
{
    static const struct {
        const char *text, *cleaned;
    } cases[] = {
        {"a\nb", "a b"},
        {"\x1b[1m", " [1m"},
        {"\x7f", " "},
        {"\xc2\x85", "  "},             /* a control of the upper half */
        {"\x80", " "},                  /* a byte that continues nothing */
        {"\xc3", " "},                  /* cut off */
        {"\xe2\x82", "  "},             /* cut off */
        {"\xc0\xaf", "  "},             /* too long for '/' */
        {"\xe0\x9f\xbf", "   "},        /* too long */
        {"\xed\xa0\x80", "   "},        /* a surrogate */
        {"\xf4\x90\x80\x80x", "    x"}, /* beyond Unicode */
        {"\xff\xc3\xa4", " \xc3\xa4"},
        {"a\xe2\x80\xa8z", "a   z"}, /* a line separator */
        {"\xe2\x80\xae"
         "cba",
         "   cba"}, /* text from right to left */
        {"\xe2\x81\xa6"
         "a",
         "   a"},
        {"\xd8\x9c"
         "a",
         "  a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16];
        EXPECT(!hy_text_is_clean(cases[i].text));
        strcpy(text, cases[i].text);
        hy_text_clean(text);
        EXPECT_STR(text, cases[i].cleaned);
        EXPECT(hy_text_is_clean(text));
    }
}

TEST(printable, marks_next_to_those_of_direction_stay)
{
    EXPECT(hy_text_is_clean("\xe2\x80\x8d \xe2\x80\xaf \xe2\x81\xaa"));
}

TEST(printable, error_texts_are_one_clean_line_wherever_they_are_cut)
{
    struct hy_error err;
    char letters[2 * HY_ERROR_TEXT_SIZE + 1];

    for (size_t i = 0; i < HY_ERROR_TEXT_SIZE; i++)
        memcpy(letters + 2 * i, "\xc3\xa4", 3);
    hy_error_set(&err, HY_FAILED, "", 1, "%s", letters); /* an odd number of bytes fits */
    EXPECT(hy_text_is_clean(err.text));
    hy_error_set_prefix(&err, HY_FAILED, "\x1b[2J%s", "two\nlines");
    EXPECT(hy_text_is_clean(err.text));
    EXPECT_CONTAINS(err.text, " [2Jtwo lines: ");
}

TEST(printable, a_line_is_a_clean_copy_cut_to_its_size)
{
    static char long_text[2 * HY_LINE_SIZE];

    memset(long_text, '\n', sizeof long_text - 1);
    EXPECT_STR(hy_text_line("a\x1b"
                            "b")
                   .text,
               "a b");
    EXPECT_INT(strlen(hy_text_line(long_text).text), HY_LINE_SIZE - 1);
    EXPECT(hy_text_is_clean(hy_text_line(long_text).text));
}
