#include "tests/kit/test.h"

#include <png.h>
#include <stdlib.h>
#include <zlib.h>

#include "libhalyard/preprocess/image.h"
#include "tests/unit/tools/kit/png_writer.h"

/* A file as the contents of a tensor. */
static enum hy_code decode(const struct image_file *file, const struct hy_input_spec *spec,
                           void *out, struct hy_input_note *note, struct hy_error *err)
{
    struct hy_picture picture = {0};
    struct hy_input_note unread;
    enum hy_code code = hy_picture_decode(file->bytes, file->length, &picture, err);
    if (code != HY_OK)
        return code;
    const struct hy_pixels pixels = hy_picture_pixels(&picture);
    code = hy_image_fill(&pixels, spec, out, note ? note : &unread, err);
    hy_picture_finish(&picture);
    return code;
}

static const uint8_t colours[2 * 2 * 3] = {0, 128, 255, 10, 20, 30, 255, 255, 255, 1, 2, 3};
static const int32_t rgb_dims[] = {1, 2, 2, 3};

TEST(image, uint8_tensors_get_the_pixels)
{
    const struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = rgb_dims};
    struct image_file picture = make_png(2, 2, PNG_FORMAT_RGB, colours);
    uint8_t out[12] = {0};
    struct hy_input_note note;
    struct hy_error err = {0};
    EXPECT_INT(decode(&picture, &spec, out, &note, &err), HY_OK);
    EXPECT(memcmp(out, colours, sizeof out) == 0);
    EXPECT_STR(note.text, "");
    free(picture.bytes);
}

TEST(image, float_tensors_get_fractions_of_one)
{
    const struct hy_input_spec spec = {.type = HY_ELEMENT_FLOAT32, .rank = 4, .dims = rgb_dims};
    struct image_file picture = make_png(2, 2, PNG_FORMAT_RGB, colours);
    float out[12] = {0};
    EXPECT_INT(decode(&picture, &spec, out, NULL, NULL), HY_OK);
    EXPECT(out[0] == 0 && out[2] == 1 && out[1] == 128.0F / 255);
    free(picture.bytes);
}

TEST(image, channels_are_converted)
{
    static const uint8_t grey[4] = {0, 50, 100, 255};
    static const uint8_t clear[4 * 4] = {9, 9, 9, 0, 200, 100, 50, 255, 0, 0, 0, 0, 7, 7, 7, 255};
    static const int32_t grey_dims[] = {1, 2, 2, 1};
    const struct hy_input_spec rgb = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = rgb_dims};
    const struct hy_input_spec one = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = grey_dims};
    uint8_t out[12] = {0};

    struct image_file picture = make_png(2, 2, PNG_FORMAT_GRAY, grey);
    EXPECT_INT(decode(&picture, &rgb, out, NULL, NULL), HY_OK);
    EXPECT(out[3] == 50 && out[4] == 50 && out[5] == 50);
    EXPECT_INT(decode(&picture, &one, out, NULL, NULL), HY_OK);
    EXPECT(memcmp(out, grey, 4) == 0);
    free(picture.bytes);

    picture = make_png(2, 2, PNG_FORMAT_RGBA, clear);
    EXPECT_INT(decode(&picture, &rgb, out, NULL, NULL), HY_OK);
    EXPECT(out[0] == 255 && out[1] == 255 && out[2] == 255); /* transparent: laid on white */
    EXPECT(out[3] == 200 && out[4] == 100 && out[5] == 50);
    free(picture.bytes);
}

TEST(image, another_size_is_scaled_and_noted)
{
    static const int32_t small[] = {1, 1, 1, 3};
    const struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = small};
    const uint8_t flat[2 * 2 * 3] = {8, 9, 10, 8, 9, 10, 8, 9, 10, 8, 9, 10};
    struct image_file picture = make_png(2, 2, PNG_FORMAT_RGB, flat);
    uint8_t out[3] = {0};
    struct hy_input_note note;
    EXPECT_INT(decode(&picture, &spec, out, &note, NULL), HY_OK);
    EXPECT(out[0] == 8 && out[1] == 9 && out[2] == 10);
    EXPECT_STR(note.text, "scaled from 2 x 2 to 1 x 1 pixels");
    free(picture.bytes);
}

TEST(image, tensors_that_are_no_images_are_rejected)
{
    static const int32_t two_channels[] = {1, 2, 2, 2}, flat[] = {12}, batch[] = {2, 2, 1, 3};
    struct image_file picture = make_png(2, 2, PNG_FORMAT_RGB, colours);
    struct hy_error err = {0};
    uint8_t out[64];
    const struct hy_input_spec channels = {
        .type = HY_ELEMENT_UINT8, .rank = 4, .dims = two_channels};
    EXPECT_INT(decode(&picture, &channels, out, NULL, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "a picture cannot fill the input uint8[1,2,2,2]");
    const struct hy_input_spec vector = {.type = HY_ELEMENT_UINT8, .rank = 1, .dims = flat};
    EXPECT_INT(decode(&picture, &vector, out, NULL, &err), HY_BAD_DATA);
    const struct hy_input_spec two = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = batch};
    EXPECT_INT(decode(&picture, &two, out, NULL, &err), HY_BAD_DATA);
    const struct hy_input_spec logical = {.type = HY_ELEMENT_BOOL, .rank = 4, .dims = rgb_dims};
    EXPECT_INT(decode(&picture, &logical, out, NULL, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "an input of bool");
    free(picture.bytes);
}

TEST(image, damaged_files_are_rejected_or_read)
{
    const struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = rgb_dims};
    struct image_file picture = make_png(2, 2, PNG_FORMAT_RGB, colours);
    struct hy_error err = {0};
    uint8_t out[12];
    for (size_t length = 0; length < 33; length++) { /* signature and IHDR */
        const struct image_file cut = {picture.bytes, length};
        EXPECT_INT(decode(&cut, &spec, out, NULL, &err), HY_BAD_DATA);
    }
    for (size_t bit = 0; bit < 8 * picture.length; bit++) {
        picture.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        const enum hy_code code = decode(&picture, &spec, out, NULL, &err);
        EXPECT(code == HY_OK || code == HY_BAD_DATA);
        picture.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    free(picture.bytes);
}

/* The header of a PNG of grey pixels, and the beginning of its data. */
static void make_header(uint32_t side, uint8_t out[45])
{
    static const uint8_t header[45] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0,   0, 0, 13,
                                       'I',  'H', 'D', 'R', 0,    0,    0,    0,    0,   0, 0, 0,
                                       8,    0,   0,   0,   0,    0,    0,    0,    0,   0, 0, 0,
                                       0,    'I', 'D', 'A', 'T',  0x35, 0xaf, 0x06, 0x1e};
    memcpy(out, header, sizeof header);
    for (unsigned i = 0; i < 4; i++)
        out[16 + i] = out[20 + i] = (uint8_t)(side >> (24 - 8 * i));
    const uint32_t checksum = (uint32_t)crc32(0, out + 12, 17);
    for (unsigned i = 0; i < 4; i++)
        out[29 + i] = (uint8_t)(checksum >> (24 - 8 * i));
}

TEST(image, enormous_sizes_are_rejected_before_memory_is_taken)
{
    static const struct {
        uint32_t side;
        const char *expected;
    } cases[] = {{30000, "PNG of 30000 x 30000 exceeds"},
                 {8000, "PNG: 45 bytes are too few for 8000 x 8000 pixels"}};
    const struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = rgb_dims};
    for (size_t i = 0; i < 2; i++) {
        uint8_t header[45], out[12];
        struct hy_error err = {0};
        make_header(cases[i].side, header);
        const struct image_file picture = {header, sizeof header};
        EXPECT_INT(decode(&picture, &spec, out, NULL, &err), HY_BAD_DATA);
        EXPECT_CONTAINS(err.text, cases[i].expected);
    }
}
