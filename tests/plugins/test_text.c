#include "plugins/text.h"
#include "test.h"

TEST(text, valid_utf8_without_controls_is_clean)
{
    EXPECT(hy_text_is_clean(""));
    EXPECT(hy_text_is_clean("plain ~"));
    EXPECT(hy_text_is_clean("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf"));
}

TEST(text, everything_else_is_not_and_can_be_cleaned)
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
