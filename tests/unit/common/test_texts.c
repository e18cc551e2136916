/* Texts in blobs. */
#include "common/texts.h"

#include <string.h>

#include "tests/kit/test.h"

/* "ab", "" and "c" in a blob of 24 bytes, the last of which no text has. */
static const uint8_t three[24] = {3,  0, 0, 0, 20, 0, 0, 0, 22,  0,   0,  0,
                                  22, 0, 0, 0, 23, 0, 0, 0, 'a', 'b', 'c'};

static void expect_text(const struct hy_texts *texts, uint32_t index, const char *expected)
{
    struct hy_text text = {0};

    EXPECT(hy_texts_at(texts, index, &text));
    EXPECT(text.length == strlen(expected) && memcmp(text.bytes, expected, text.length) == 0);
}

TEST(texts, a_blob_has_its_texts)
{
    struct hy_texts texts;

    REQUIRE(hy_texts_open(three, sizeof three, &texts));
    EXPECT_INT(texts.count, 3);
    expect_text(&texts, 0, "ab");
    expect_text(&texts, 1, "");
    expect_text(&texts, 2, "c");
}

TEST(texts, a_blob_without_room_for_its_offsets_is_none)
{
    static const uint8_t many[8] = {255, 255, 255, 255};
    struct hy_texts texts;

    EXPECT(!hy_texts_open(three, 3, &texts));
    EXPECT(!hy_texts_open(three, 19, &texts));
    EXPECT(hy_texts_open(three, 20, &texts));
    EXPECT(!hy_texts_open(many, sizeof many, &texts));
}

TEST(texts, a_text_lies_between_the_offsets_and_the_end)
{
    uint8_t blob[24];
    struct hy_texts texts;
    struct hy_text text;

    memcpy(blob, three, sizeof blob);
    REQUIRE(hy_texts_open(blob, sizeof blob, &texts));
    hy_texts_set_number(blob, 4, 25);
    EXPECT(!hy_texts_at(&texts, 2, &text)); /* behind the end */
    hy_texts_set_number(blob, 4, 21);
    EXPECT(!hy_texts_at(&texts, 2, &text)); /* ends before it begins */
    hy_texts_set_number(blob, 1, 16);
    EXPECT(!hy_texts_at(&texts, 0, &text)); /* among the offsets */
    EXPECT(hy_texts_at(&texts, 1, &text));
}

static int compare(const char *a, const char *b)
{
    return hy_text_compare(&(struct hy_text){(const uint8_t *)a, strlen(a)},
                           &(struct hy_text){(const uint8_t *)b, strlen(b)});
}

TEST(texts, are_ordered_by_bytes_and_then_by_length)
{
    EXPECT(compare("", "") == 0 && compare("ab", "ab") == 0);
    EXPECT(compare("", "a") < 0 && compare("a", "ab") < 0 && compare("ab", "b") < 0);
    EXPECT(compare("b", "ab") > 0 && compare("\xff", "z") > 0);
}
