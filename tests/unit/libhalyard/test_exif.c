#include "tests/kit/test.h"

#include <stdlib.h>

#include "libhalyard/preprocess/exif.h"
#include "tests/unit/tools/kit/jpeg_writer.h"

TEST(exif, orientation_is_read_in_both_byte_orders)
{
    uint8_t tiff[TIFF_BYTES];
    for (unsigned orientation = 1; orientation <= 8; orientation++) {
        make_tiff(orientation, true, tiff);
        EXPECT_INT(hy_exif_orientation(tiff, sizeof tiff), orientation);
        make_tiff(orientation, false, tiff);
        EXPECT_INT(hy_exif_orientation(tiff, sizeof tiff), orientation);
    }
}

TEST(exif, numbers_that_are_no_orientation_are_upright)
{
    static const unsigned wrong[] = {0, 9, 65535};
    uint8_t tiff[TIFF_BYTES];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        make_tiff(wrong[i], true, tiff);
        EXPECT_INT(hy_exif_orientation(tiff, sizeof tiff), 1);
    }
}

/* The copy ends where the block is cut, so that a sanitizer sees a read behind the end. */
TEST(exif, a_block_that_is_cut_is_upright)
{
    uint8_t tiff[TIFF_BYTES];
    make_tiff(6, false, tiff);
    for (size_t length = 0; length < 22; length++) {
        uint8_t *cut = malloc(length + 1);
        REQUIRE(cut);
        memcpy(cut, tiff, length);
        EXPECT_INT(hy_exif_orientation(cut, length), 1);
        free(cut);
    }
}

TEST(exif, a_directory_outside_the_block_is_upright)
{
    uint8_t tiff[TIFF_BYTES];
    make_tiff(6, false, tiff);
    memset(tiff + 4, 0xff, 4);
    EXPECT_INT(hy_exif_orientation(tiff, sizeof tiff), 1);
}
