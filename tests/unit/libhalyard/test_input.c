#include "tests/kit/test.h"

#include "libhalyard/preprocess/input.h"

static const int32_t four[] = {4};
static const struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 1, .dims = four};

static void expect_refused(const char *name, const char *file, size_t length, const char *expected)
{
    uint8_t out[4];
    struct hy_error err = {0};
    EXPECT_INT(hy_input_decode(name, file, length, &spec, out, sizeof out, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, expected);
    EXPECT_CONTAINS(err.text, name);
}

TEST(input, raw_bytes_have_the_length_of_the_tensor)
{
    uint8_t out[4] = {0};
    EXPECT_INT(hy_input_decode("x", "abcd", 4, &spec, out, sizeof out, NULL), HY_OK);
    EXPECT(memcmp(out, "abcd", 4) == 0);
    expect_refused("x", "abc", 3, "3 raw bytes, the input uint8[4] needs 4");
}

TEST(input, an_extension_promises_the_contents)
{
    expect_refused("x.png", "abcd", 4, "do not match the extension of the file name");
    expect_refused("x.JPG", "abcd", 4, "do not match the extension of the file name");
    expect_refused("x.npy", "abcd", 4, "do not match the extension of the file name");
}

TEST(input, pictures_of_other_formats_are_named)
{
    expect_refused("x.webp", "RIFF\x10\0\0\0WEBPVP8 ", 16, "a WebP picture; only PNG and JPEG");
    expect_refused("x.heic",
                   "\0\0\0\x18"
                   "ftypheic",
                   12, "a HEIC picture");
    expect_refused("x", "GIF89a", 6, "a GIF picture");
    expect_refused("x", "II*\0\x08\0\0\0", 8, "a TIFF picture");
}

TEST(input, raw_bytes_of_the_right_length_may_look_like_a_picture)
{
    uint8_t out[4];
    EXPECT_INT(hy_input_decode("x", "BMxx", 4, &spec, out, sizeof out, NULL), HY_OK);
}
