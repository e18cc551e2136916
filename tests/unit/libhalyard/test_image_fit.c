#include "tests/kit/test.h"

#include <stdlib.h>

#include "libhalyard/preprocess/image.h"
#include "libhalyard/preprocess/image_fit.h"

enum { GREY = HY_IMAGE_LETTERBOX_GREY };

static void fill(const struct hy_pixels *pixels, const struct hy_input_spec *spec, uint8_t *out,
                 struct hy_input_note *note)
{
    struct hy_error err = {0};
    if (hy_image_fill(pixels, spec, out, note, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
}

/* Columns 0 to 5, each of its own grey. */
static const uint8_t columns[2][6] = {{0, 10, 20, 30, 40, 50}, {0, 10, 20, 30, 40, 50}};
static const struct hy_pixels wide = {columns[0], 6, 6, 2, 1};

TEST(image_fit, a_crop_is_the_middle)
{
    static const int32_t square[] = {1, 2, 2, 1};
    struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = square};
    struct hy_input_note note;
    uint8_t out[4];
    spec.image.fit = HY_IMAGE_FIT_CROP;
    fill(&wide, &spec, out, &note);
    EXPECT(out[0] == 20 && out[1] == 30 && out[2] == 20 && out[3] == 30);
    EXPECT_STR(note.text, "cropped from 6 x 2 to 2 x 2 pixels");

    const struct hy_pixels tall = {columns[0], 1, 1, 12, 1};
    fill(&tall, &spec, out, &note);
    EXPECT_CONTAINS(note.text, "cropped from 1 x 12 to 1 x 1, scaled from 1 x 1 to 2 x 2 pixels");
}

TEST(image_fit, a_letterbox_has_grey_on_two_sides)
{
    static const int32_t square[] = {1, 6, 6, 1};
    struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = square};
    struct hy_input_note note;
    uint8_t out[36];
    spec.image.fit = HY_IMAGE_FIT_LETTERBOX;
    fill(&wide, &spec, out, &note);
    for (unsigned i = 0; i < 12; i++) {
        EXPECT_INT(out[i], GREY);
        EXPECT_INT(out[12 + i], columns[i / 6][i % 6]);
        EXPECT_INT(out[24 + i], GREY);
    }
    EXPECT_STR(note.text, "");

    static const int32_t flat[] = {1, 1, 6, 1};
    spec.dims = flat;
    fill(&wide, &spec, out, &note);
    EXPECT_INT(out[0], GREY);
    EXPECT(out[2] != GREY);
    EXPECT_INT(out[5], GREY);
    EXPECT_STR(note.text, "scaled from 6 x 2 to 3 x 1 pixels");
}

TEST(image_fit, a_letterbox_is_opaque)
{
    static const int32_t dims[] = {1, 3, 1, 4};
    static const uint8_t clear[4] = {9, 8, 7, 0};
    const struct hy_pixels pixel = {clear, 4, 1, 1, 4};
    struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = dims};
    struct hy_input_note note;
    uint8_t out[12];
    spec.image.fit = HY_IMAGE_FIT_LETTERBOX;
    fill(&pixel, &spec, out, &note);
    EXPECT(out[0] == GREY && out[3] == 255);
    EXPECT(out[4] == 9 && out[7] == 0);
}

/* Two pixels of two rows: red, green; blue, white. */
static const uint8_t corners[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255};
static const struct hy_pixels corner_pixels = {corners, 6, 2, 2, 3};

TEST(image_fit, planes_follow_each_other_in_nchw)
{
    static const int32_t planar[] = {1, 3, 2, 2};
    static const uint8_t want[] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255};
    struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = planar};
    struct hy_input_note note;
    uint8_t out[12];
    fill(&corner_pixels, &spec, out, &note);
    EXPECT(memcmp(out, want, sizeof want) == 0);

    spec.image.channels = HY_IMAGE_CHANNELS_BGR;
    fill(&corner_pixels, &spec, out, &note);
    EXPECT(memcmp(out, want + 8, 4) == 0 && memcmp(out + 8, want, 4) == 0);
}

TEST(image_fit, the_last_dimension_is_the_channels_where_both_could_be)
{
    static const int32_t either[] = {1, 3, 1, 3};
    struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = either};
    const struct hy_pixels column = {corners, 3, 1, 3, 3};
    struct hy_input_note note;
    uint8_t out[9];
    fill(&column, &spec, out, &note);
    EXPECT(memcmp(out, corners, sizeof out) == 0);

    spec.image.layout = HY_IMAGE_LAYOUT_NCHW; /* 1 row of 3 pixels */
    const struct hy_pixels row = {corners, 9, 3, 1, 3};
    fill(&row, &spec, out, &note);
    EXPECT(out[0] == corners[0] && out[1] == corners[3] && out[3] == corners[1]);
}

TEST(image_fit, shapes_of_other_ranks_are_pictures_too)
{
    static const int32_t two[] = {2, 6}, three[] = {1, 2, 6}, last[] = {2, 6, 1},
                         five[] = {1, 1, 2, 6, 1};
    static const struct {
        uint32_t rank;
        const int32_t *dims;
    } shapes[] = {{2, two}, {3, three}, {3, last}, {5, five}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct hy_input_spec spec = {
            .type = HY_ELEMENT_UINT8, .rank = shapes[i].rank, .dims = shapes[i].dims};
        struct hy_input_note note;
        uint8_t out[12] = {0};
        fill(&wide, &spec, out, &note);
        EXPECT(memcmp(out, columns, sizeof out) == 0);
    }
}

TEST(image_fit, rows_of_pixels_may_be_far_apart)
{
    static const int32_t dims[] = {1, 2, 2, 1};
    static const uint8_t bytes[] = {1, 2, 99, 99, 3, 4};
    const struct hy_pixels pixels = {bytes, 4, 2, 2, 1};
    const struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = dims};
    struct hy_input_note note;
    uint8_t out[4];
    fill(&pixels, &spec, out, &note);
    EXPECT(out[0] == 1 && out[1] == 2 && out[2] == 3 && out[3] == 4);

    struct hy_error err = {0};
    const struct hy_pixels overlapping = {bytes, 1, 2, 2, 1};
    EXPECT_INT(hy_image_fill(&overlapping, &spec, out, &note, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "the stride is 1 bytes");
    const struct hy_pixels pairs = {bytes, 4, 2, 1, 2};
    EXPECT_INT(hy_image_fill(&pairs, &spec, out, &note, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "2 channels");
}

static void expect_dims(const int32_t *open, uint32_t width, uint32_t height, int32_t want_height,
                        int32_t want_width)
{
    const struct hy_input_spec spec = {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = open};
    const struct hy_pixels pixels = {NULL, 0, width, height, 3};
    int32_t dims[4] = {0};
    EXPECT_INT(hy_image_choose_dims(&pixels, &spec, dims, NULL), HY_OK);
    EXPECT_INT(dims[0], 1);
    EXPECT_INT(dims[1], want_height);
    EXPECT_INT(dims[2], want_width);
    EXPECT_INT(dims[3], 3);
}

TEST(image_fit, open_sides_get_the_size_of_the_picture_up_to_a_limit)
{
    static const int32_t open[] = {-1, -1, -1, 3}, half_open[] = {1, 100, -1, 3};
    expect_dims(open, 640, 480, 480, 640);
    expect_dims(open, 8192, 4096, 1024, 2048);
    expect_dims(open, 60000, 1, 1, 2048);
    expect_dims(half_open, 640, 480, 100, 640);
}
