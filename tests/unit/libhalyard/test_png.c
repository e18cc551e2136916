#include "tests/kit/test.h"

#include <png.h>
#include <stdlib.h>

#include "libhalyard/preprocess/picture.h"
#include "tests/unit/tools/kit/jpeg_writer.h"

/* Decodes one row and compares the bytes. */
static void expect_row(const struct stored_png *stored, uint32_t channels, const uint8_t *want)
{
    struct image_file file = make_stored_png(stored);
    struct hy_picture picture = {0};
    struct hy_error err = {0};
    if (hy_picture_decode(file.bytes, file.length, &picture, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    EXPECT_INT(picture.channels, channels);
    EXPECT_INT(picture.width, stored->width);
    if (picture.bytes && picture.channels == channels)
        for (size_t i = 0; i < (size_t)stored->width * channels; i++)
            EXPECT_INT(picture.bytes[i], want[i]);
    hy_picture_finish(&picture);
    free(file.bytes);
}

TEST(png, sixteen_bits_become_the_nearest_of_eight)
{
    /* 0, 257 * 100, one step below the middle between 1 and 2, one above, 65535 */
    static const uint8_t row[] = {0, 0, 0x64, 0x64, 0x01, 0x81, 0x01, 0x82, 0xff, 0xff};
    static const uint8_t want[] = {0, 100, 1, 2, 255};
    expect_row(&(struct stored_png){.width = 5, .depth = 16, .row = row}, 1, want);
}

TEST(png, few_bits_of_grey_spread_over_the_range)
{
    static const uint8_t one = 0xa0, two = 0x1b;
    static const uint8_t want_one[] = {255, 0, 255}, want_two[] = {0, 85, 170, 255};
    expect_row(&(struct stored_png){.width = 3, .depth = 1, .row = &one}, 1, want_one);
    expect_row(&(struct stored_png){.width = 4, .depth = 2, .row = &two}, 1, want_two);
}

TEST(png, palettes_become_colours)
{
    static const uint8_t row[] = {2, 0, 1};
    static const uint8_t want[] = {0, 0, 255, 255, 0, 0, 0, 255, 0};
    const struct stored_png stored = {
        .width = 3, .depth = 8, .colour = PNG_COLOR_TYPE_PALETTE, .row = row};
    expect_row(&stored, 3, want);
}

TEST(png, grey_with_alpha_has_four_channels)
{
    static const uint8_t row[] = {10, 255, 20, 128};
    static const uint8_t want[] = {10, 10, 10, 255, 20, 20, 20, 128};
    const struct stored_png stored = {
        .width = 2, .depth = 8, .colour = PNG_COLOR_TYPE_GRAY_ALPHA, .row = row};
    expect_row(&stored, 4, want);
}

TEST(png, the_orientation_of_exif_is_respected)
{
    static const uint8_t row[] = {10, 20, 30};
    static const uint8_t want[] = {30, 20, 10};
    uint8_t tiff[TIFF_BYTES];
    make_tiff(2, true, tiff);
    const struct stored_png stored = {
        .width = 3, .depth = 8, .row = row, .exif = tiff, .exif_bytes = TIFF_BYTES};
    expect_row(&stored, 1, want);
}
