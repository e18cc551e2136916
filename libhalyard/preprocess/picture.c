#include "libhalyard/preprocess/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libhalyard/preprocess/picture_format.h"

bool hy_picture_is(const void *file, size_t length)
{
    return hy_png_is(file, length) || hy_jpeg_is(file, length);
}

void hy_picture_finish(struct hy_picture *picture)
{
    free(picture->bytes);
    *picture = (struct hy_picture){0};
}

struct hy_pixels hy_picture_pixels(const struct hy_picture *picture)
{
    return (struct hy_pixels){
        .bytes = picture->bytes,
        .stride = (size_t)picture->width * picture->channels,
        .width = picture->width,
        .height = picture->height,
        .channels = picture->channels,
    };
}

enum hy_code hy_picture_check_size(const char *what, uint32_t width, uint32_t height,
                                   struct hy_error *err)
{
    if (width == 0 || height == 0)
        return hy_fail(err, HY_BAD_DATA, "%s of %" PRIu32 " x %" PRIu32 " pixels", what, width,
                       height);
    if (width > HY_PICTURE_MAX_SIDE || height > HY_PICTURE_MAX_SIDE ||
        (uint64_t)width * height > HY_PICTURE_MAX_PIXELS)
        return hy_fail(err, HY_BAD_DATA,
                       "%s of %" PRIu32 " x %" PRIu32 " exceeds %d pixels, or %d on a side", what,
                       width, height, HY_PICTURE_MAX_PIXELS, HY_PICTURE_MAX_SIDE);
    return HY_OK;
}

enum hy_code hy_picture_allocate(const char *what, struct hy_picture *out, struct hy_error *err)
{
    const enum hy_code code = hy_picture_check_size(what, out->width, out->height, err);
    if (code != HY_OK)
        return code;
    out->bytes = malloc((size_t)out->width * out->height * out->channels);
    if (!out->bytes)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%s of %" PRIu32 " x %" PRIu32 " pixels", what,
                       out->width, out->height);
    return HY_OK;
}

enum hy_code hy_picture_allocate_for_file(const char *format, size_t length,
                                          uint32_t pixels_per_byte, struct hy_picture *out,
                                          struct hy_error *err)
{
    const enum hy_code code = hy_picture_check_size(format, out->width, out->height, err);
    if (code != HY_OK)
        return code;
    if ((uint64_t)out->width * out->height / pixels_per_byte > length)
        return hy_fail(err, HY_BAD_DATA,
                       "%s: %zu bytes are too few for %" PRIu32 " x %" PRIu32 " pixels", format,
                       length, out->width, out->height);
    return hy_picture_allocate(format, out, err);
}

/* Where a pixel of the upright picture is stored. */
struct walk {
    size_t start;
    ptrdiff_t right; /* from a pixel to the pixel right of it, in pixels */
    ptrdiff_t down;
};

/* Orientations of exif.h, for stored pixels of this width and height. */
static struct walk walk_of(unsigned orientation, size_t width, size_t height)
{
    const size_t last_row = (height - 1) * width, last_column = width - 1;
    const ptrdiff_t row = (ptrdiff_t)width;
    switch (orientation) {
    case 2:
        return (struct walk){last_column, -1, row};
    case 3:
        return (struct walk){last_row + last_column, -1, -row};
    case 4:
        return (struct walk){last_row, 1, -row};
    case 5:
        return (struct walk){0, row, 1};
    case 6:
        return (struct walk){last_row, -row, 1};
    case 7:
        return (struct walk){last_row + last_column, -row, -1};
    case 8:
        return (struct walk){last_column, row, -1};
    default:
        return (struct walk){0, 1, row};
    }
}

static enum hy_code rotate_upright(struct hy_picture *picture, unsigned orientation,
                                   struct hy_error *err)
{
    if (orientation <= 1 || orientation > 8)
        return HY_OK;
    struct hy_picture upright = *picture;
    if (orientation >= 5) {
        upright.width = picture->height;
        upright.height = picture->width;
    }
    const enum hy_code code = hy_picture_allocate("picture", &upright, err);
    if (code != HY_OK)
        return code;

    const struct walk walk = walk_of(orientation, picture->width, picture->height);
    const size_t channels = picture->channels;
    uint8_t *to = upright.bytes;
    for (uint32_t y = 0; y < upright.height; y++)
        for (uint32_t x = 0; x < upright.width; x++, to += channels) {
            const ptrdiff_t from =
                (ptrdiff_t)walk.start + (ptrdiff_t)y * walk.down + (ptrdiff_t)x * walk.right;
            memcpy(to, picture->bytes + (size_t)from * channels, channels);
        }
    hy_picture_finish(picture);
    *picture = upright;
    return HY_OK;
}

enum hy_code hy_picture_decode(const void *file, size_t length, struct hy_picture *out,
                               struct hy_error *err)
{
    struct hy_picture picture = {0};
    unsigned orientation = 1;
    enum hy_code code;
    if (hy_png_is(file, length))
        code = hy_png_decode(file, length, &picture, &orientation, err);
    else if (hy_jpeg_is(file, length))
        code = hy_jpeg_decode(file, length, &picture, &orientation, err);
    else
        code = hy_fail(err, HY_BAD_DATA, "neither a PNG nor a JPEG");
    if (code == HY_OK)
        code = rotate_upright(&picture, orientation, err);
    if (code != HY_OK) {
        hy_picture_finish(&picture);
        return code;
    }
    *out = picture;
    return HY_OK;
}
