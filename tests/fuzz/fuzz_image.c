#include "tests/fuzz/fuzz.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libhalyard/preprocess/image.h"
#include "tests/unit/tools/kit/jpeg_writer.h"

enum { SIDE = 16, MOST_PIXELS = 1 << 16 };

static const int32_t grey[] = {1, 3, 5, 1}, planar[] = {1, 3, 9, 2}, alpha[] = {1, 2, 2, 4};

static const struct hy_input_spec specs[] = {
    {.type = HY_ELEMENT_UINT8, .rank = 4, .dims = grey, .image = {.fit = HY_IMAGE_FIT_CROP}},
    {.type = HY_ELEMENT_FLOAT32,
     .rank = 4,
     .dims = planar,
     .image = {.fit = HY_IMAGE_FIT_LETTERBOX, .channels = HY_IMAGE_CHANNELS_BGR}},
    {.type = HY_ELEMENT_INT8, .rank = 4, .dims = alpha},
};

/* What a decoder promises of a picture, and what no picture can break. */
static const char *use(const struct hy_picture *picture)
{
    const struct hy_pixels pixels = hy_picture_pixels(picture);
    float out[64];
    if (!picture->bytes || picture->width == 0 || picture->height == 0 ||
        picture->width > HY_PICTURE_MAX_SIDE || picture->height > HY_PICTURE_MAX_SIDE ||
        (picture->channels != 1 && picture->channels != 3 && picture->channels != 4))
        return "a picture beyond the limits";
    if ((uint64_t)picture->width * picture->height > MOST_PIXELS)
        return NULL; /* slow */
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct hy_input_note note;
        struct hy_error err = {0};
        if (hy_image_fill(&pixels, &specs[i], out, &note, &err) != HY_OK)
            return "a picture that fills no tensor";
    }
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hy_picture picture = {0};
    struct hy_error err = {0};
    if (!hy_picture_is(data, size))
        return 0;
    const enum hy_code code = hy_picture_decode(data, size, &picture, &err);
    const char *wrong = code == HY_OK ? use(&picture)
                        : err.text[0] ? NULL
                                      : "refused without words";
    if (code != HY_OK && picture.bytes)
        wrong = "refused with a picture";
    hy_picture_finish(&picture);
    if (wrong) {
        fprintf(stderr, "fuzz_image: %s\n", wrong);
        abort();
    }
    return 0;
}

uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    static uint8_t pixels[SIDE * SIDE * 4];
    uint8_t tiff[TIFF_BYTES];
    const struct jpeg_spec jpeg_specs[] = {
        {SIDE, SIDE, 3, pixels, .orientation = 6},
        {SIDE, SIDE, 1, pixels, .progressive = true},
        {SIDE, SIDE, 4, pixels, .ycck = true},
        {SIDE, SIDE, 3, pixels, .progressive = true, .orientation = 2},
    };
    const struct stored_png rows[] = {
        {SIDE, 16, PNG_COLOR_TYPE_RGB, pixels, .exif = tiff, .exif_bytes = TIFF_BYTES},
        {SIDE, 2, PNG_COLOR_TYPE_PALETTE, pixels + SIDE * SIDE * 3, NULL, 0},
    };
    enum { SPECS = sizeof jpeg_specs / sizeof jpeg_specs[0], ROWS = sizeof rows / sizeof rows[0] };
    for (size_t i = 0; i < (size_t)SIDE * SIDE * 3; i++)
        pixels[i] = (uint8_t)(i * 7);
    make_tiff(5, false, tiff);
    struct image_file file = {0};
    if (index < SPECS)
        file = make_jpeg(&jpeg_specs[index]);
    else if (index < SPECS + ROWS)
        file = make_stored_png(&rows[index - SPECS]);
    else if (index == SPECS + ROWS)
        file = make_png(SIDE, SIDE, PNG_FORMAT_RGBA, pixels);
    *length = file.length;
    return file.bytes;
}
