/* Numbers of bytes as people write them. */
#include "common/byte_count.h"

#include "tests/kit/test.h"

#define UNREAD 12345u

static uint64_t read_count(const char *text)
{
    uint64_t bytes = UNREAD;
    EXPECT_INT(hy_byte_count_read(text, &bytes), bytes != UNREAD);
    return bytes;
}

TEST(byte_count, is_digits_with_a_unit_or_none)
{
    EXPECT_INT(read_count("0"), 0);
    EXPECT_INT(read_count("1000"), 1000);
    EXPECT_INT(read_count("2K"), 2048);
    EXPECT_INT(read_count("3M"), 3u << 20);
    EXPECT_INT(read_count("1GiB"), 1u << 30);
    EXPECT_INT(read_count("16T"), UINT64_C(16) << 40);
    EXPECT_INT(read_count("18446744073709551615"), UINT64_MAX);
}

TEST(byte_count, is_nothing_else)
{
    static const char *const texts[] = {"",    " 1",   "-1",        "+1",
                                        "1k",  "1KB",  "1 K",       "1.5G",
                                        "1KK", "0x10", "16777216T", "18446744073709551616"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        EXPECT_INT(read_count(texts[i]), UNREAD);
}
