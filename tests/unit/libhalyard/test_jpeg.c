#include "tests/kit/test.h"

#include <stdlib.h>

#include "libhalyard/preprocess/picture.h"
#include "tests/unit/tools/kit/jpeg_writer.h"

enum { SIDE = 16 };

static enum hy_code decode(const struct jpeg_spec *spec, struct hy_picture *out)
{
    struct image_file file = make_jpeg(spec);
    struct hy_error err = {0};
    const enum hy_code code = hy_picture_decode(file.bytes, file.length, out, &err);
    if (code != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    free(file.bytes);
    return code;
}

static void expect_near(const uint8_t *pixel, int red, int green, int blue)
{
    const int want[] = {red, green, blue};
    for (unsigned c = 0; c < 3; c++)
        if (abs(pixel[c] - want[c]) > 3)
            hy_test_fail(__FILE__, __LINE__, "channel %u is %d, expected %d", c, pixel[c], want[c]);
        else
            hy_test_pass(__FILE__, __LINE__);
}

/* A picture of one colour. */
static void fill(uint8_t *pixels, const uint8_t *colour, uint32_t channels)
{
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        memcpy(pixels + i * channels, colour, channels);
}

TEST(jpeg, baseline_and_progressive_files_give_their_colours)
{
    static const uint8_t orange[] = {255, 128, 0};
    uint8_t pixels[SIDE * SIDE * 3];
    fill(pixels, orange, 3);
    for (int progressive = 0; progressive < 2; progressive++) {
        struct hy_picture picture = {0};
        const struct jpeg_spec spec = {.width = SIDE,
                                       .height = SIDE,
                                       .channels = 3,
                                       .pixels = pixels,
                                       .progressive = progressive};
        REQUIRE(decode(&spec, &picture) == HY_OK);
        EXPECT(picture.width == SIDE && picture.height == SIDE && picture.channels == 3);
        expect_near(picture.bytes, 255, 128, 0);
        expect_near(picture.bytes + sizeof pixels - 3, 255, 128, 0);
        hy_picture_finish(&picture);
    }
}

TEST(jpeg, grey_files_have_one_channel)
{
    static const uint8_t grey[] = {77};
    uint8_t pixels[SIDE * SIDE];
    fill(pixels, grey, 1);
    struct hy_picture picture = {0};
    REQUIRE(decode(&(struct jpeg_spec){SIDE, SIDE, 1, .pixels = pixels}, &picture) == HY_OK);
    EXPECT_INT(picture.channels, 1);
    EXPECT(abs(picture.bytes[0] - 77) <= 1);
    hy_picture_finish(&picture);
}

/* Without the marker 255 is full ink, with the marker 0 is. */
TEST(jpeg, inks_become_light)
{
    static const uint8_t orange_ink[] = {0, 127, 255, 0}, orange_inverted[] = {255, 128, 0, 255};
    uint8_t pixels[SIDE * SIDE * 4];
    struct hy_picture picture = {0};

    fill(pixels, orange_ink, 4);
    struct jpeg_spec spec = {SIDE, SIDE, 4, pixels, .without_adobe = true};
    REQUIRE(decode(&spec, &picture) == HY_OK);
    EXPECT_INT(picture.channels, 3);
    expect_near(picture.bytes, 255, 128, 0);
    hy_picture_finish(&picture);

    fill(pixels, orange_inverted, 4);
    for (int ycck = 0; ycck < 2; ycck++) {
        spec = (struct jpeg_spec){SIDE, SIDE, 4, pixels, .ycck = ycck};
        REQUIRE(decode(&spec, &picture) == HY_OK);
        expect_near(picture.bytes, 255, 128, 0);
        hy_picture_finish(&picture);
    }
}

/* 24 x 16 pixels, black but for the light top left of the upright picture, which each orientation
 * stores in another corner; see exif.h. */
TEST(jpeg, pictures_are_turned_as_the_camera_was_held)
{
    static const struct {
        bool right, bottom, turned;
    } stored[9] = {[1] = {0, 0, 0}, [2] = {1, 0, 0}, [3] = {1, 1, 0}, [4] = {0, 1, 0},
                   [5] = {0, 0, 1}, [6] = {0, 1, 1}, [7] = {1, 1, 1}, [8] = {1, 0, 1}};
    enum { WIDTH = 24, HEIGHT = 16, CORNER = 8 };
    for (unsigned orientation = 1; orientation <= 8; orientation++) {
        uint8_t pixels[WIDTH * HEIGHT] = {0};
        const unsigned left = stored[orientation].right ? WIDTH - CORNER : 0;
        const unsigned top = stored[orientation].bottom ? HEIGHT - CORNER : 0;
        for (unsigned y = top; y < top + CORNER; y++)
            memset(pixels + y * WIDTH + left, 255, CORNER);
        struct hy_picture picture = {0};
        const struct jpeg_spec spec = {WIDTH, HEIGHT, 1, pixels, .orientation = orientation};
        REQUIRE(decode(&spec, &picture) == HY_OK);
        EXPECT_INT(picture.width, stored[orientation].turned ? HEIGHT : WIDTH);
        EXPECT_INT(picture.height, stored[orientation].turned ? WIDTH : HEIGHT);
        EXPECT(picture.bytes[0] > 250);
        EXPECT(picture.bytes[picture.width - 1] < 5);
        EXPECT(picture.bytes[(size_t)picture.width * (picture.height - 1)] < 5);
        hy_picture_finish(&picture);
    }
}

/* Where rows and columns of a turned picture go, not only its corner: a ramp across. */
TEST(jpeg, turned_rows_keep_their_order)
{
    enum { WIDTH = 16, HEIGHT = 8 };
    uint8_t pixels[WIDTH * HEIGHT];
    for (unsigned i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i % WIDTH * 16);
    struct hy_picture picture = {0};
    REQUIRE(decode(&(struct jpeg_spec){WIDTH, HEIGHT, 1, pixels, .orientation = 6}, &picture) ==
            HY_OK);
    REQUIRE(picture.width == HEIGHT && picture.height == WIDTH);
    for (unsigned y = 1; y < WIDTH; y++)
        EXPECT(picture.bytes[y * HEIGHT] > picture.bytes[(y - 1) * HEIGHT]);
    hy_picture_finish(&picture);
}

TEST(jpeg, a_file_that_ends_too_early_is_refused)
{
    uint8_t pixels[SIDE * SIDE * 3];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 37);
    for (int progressive = 0; progressive < 2; progressive++) {
        struct image_file file =
            make_jpeg(&(struct jpeg_spec){SIDE, SIDE, 3, pixels, .progressive = progressive});
        struct hy_picture picture = {0};
        struct hy_error err = {0};
        for (size_t length = 3; length < file.length - 2; length += 7) {
            EXPECT_INT(hy_picture_decode(file.bytes, length, &picture, &err), HY_BAD_DATA);
            EXPECT_CONTAINS(err.text, "JPEG");
        }
        free(file.bytes);
    }
}

TEST(jpeg, sizes_that_the_bytes_cannot_fill_are_refused_before_memory_is_taken)
{
    static const uint8_t black[8 * 8];
    struct image_file file = make_jpeg(&(struct jpeg_spec){8, 8, 1, .pixels = black});
    size_t frame = 2;
    while (frame + 9 < file.length && (file.bytes[frame] != 0xff || file.bytes[frame + 1] != 0xc0))
        frame++;
    memcpy(file.bytes + frame + 5, "\x20\0\x20\0", 4); /* 8192 x 8192 */
    struct hy_picture picture = {0};
    struct hy_error err = {0};
    EXPECT_INT(hy_picture_decode(file.bytes, file.length, &picture, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "too few for 8192 x 8192 pixels");
    memcpy(file.bytes + frame + 5, "\xff\xdc\xff\xdc", 4); /* 65500 x 65500 */
    EXPECT_INT(hy_picture_decode(file.bytes, file.length, &picture, &err), HY_BAD_DATA);
    free(file.bytes);
}

TEST(jpeg, damaged_files_are_refused_or_read)
{
    uint8_t pixels[SIDE * SIDE * 3];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 11);
    struct image_file file =
        make_jpeg(&(struct jpeg_spec){SIDE, SIDE, 3, pixels, .orientation = 6});
    for (size_t bit = 0; bit < 8 * file.length; bit += 3) {
        struct hy_picture picture = {0};
        struct hy_error err = {0};
        file.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        const enum hy_code code = hy_picture_is(file.bytes, file.length)
                                      ? hy_picture_decode(file.bytes, file.length, &picture, &err)
                                      : HY_BAD_DATA;
        EXPECT(code == HY_OK || code == HY_BAD_DATA);
        file.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        hy_picture_finish(&picture);
    }
    free(file.bytes);
}
