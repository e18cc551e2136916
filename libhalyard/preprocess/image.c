#include "libhalyard/preprocess/image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libhalyard/preprocess/image_elements.h"
#include "libhalyard/preprocess/image_fit.h"
#include "libhalyard/preprocess/image_shape.h"

/* Lays a picture with transparency on white. The caller finishes `*out`. */
static enum hy_code lay_on_white(const struct hy_pixels *pixels, struct hy_picture *out,
                                 struct hy_error *err)
{
    *out = (struct hy_picture){.width = pixels->width, .height = pixels->height, .channels = 3};
    const enum hy_code code = hy_picture_allocate("picture", out, err);
    if (code != HY_OK)
        return code;
    uint8_t *to = out->bytes;
    for (uint32_t y = 0; y < pixels->height; y++) {
        const uint8_t *from = pixels->bytes + y * pixels->stride;
        for (uint32_t x = 0; x < pixels->width; x++, from += 4, to += 3)
            for (unsigned c = 0; c < 3; c++)
                to[c] = (uint8_t)((from[c] * from[3] + 255U * (255U - from[3]) + 127) / 255);
    }
    return HY_OK;
}

/* Converts a pixel of `from` channels to a pixel of `to` channels, red first. */
static void convert_pixel(const uint8_t *pixel, uint32_t from, uint32_t to, uint8_t *out)
{
    const unsigned red = pixel[0], green = pixel[from == 1 ? 0 : 1],
                   blue = pixel[from == 1 ? 0 : 2];
    if (to == 1) {
        out[0] = (uint8_t)((299 * red + 587 * green + 114 * blue + 500) / 1000);
        return;
    }
    out[0] = (uint8_t)red;
    out[1] = (uint8_t)green;
    out[2] = (uint8_t)blue;
    if (to == 4)
        out[3] = from == 4 ? pixel[3] : 255;
}

/* Writes the rows of the frame into the tensor. `row` has the capacity of a row with the tensor's
 * channels. */
static void store_rows(const struct hy_picture *frame, const struct hy_input_spec *spec,
                       const struct hy_image_shape *shape, const struct hy_image_elements *elements,
                       uint8_t *row, void *out)
{
    const uint32_t channels = shape->channels;
    const bool swap = spec->image.channels == HY_IMAGE_CHANNELS_BGR && channels >= 3;
    const uint8_t *from = frame->bytes;
    for (uint32_t y = 0; y < frame->height; y++) {
        for (uint32_t x = 0; x < frame->width; x++, from += frame->channels) {
            uint8_t *pixel = row + (size_t)x * channels;
            convert_pixel(from, frame->channels, channels, pixel);
            if (swap) {
                const uint8_t red = pixel[0];
                pixel[0] = pixel[2];
                pixel[2] = red;
            }
        }
        hy_image_elements_store(elements, shape, row, y, frame->width, frame->height, out);
    }
}

static enum hy_code fit_and_store(const struct hy_pixels *pixels, const struct hy_input_spec *spec,
                                  const struct hy_image_shape *shape,
                                  const struct hy_image_elements *elements, void *out,
                                  struct hy_input_note *note, struct hy_error *err)
{
    struct hy_picture frame = {
        .width = (uint32_t)spec->dims[shape->width_at],
        .height = (uint32_t)spec->dims[shape->height_at],
        .channels = pixels->channels,
    };
    enum hy_code code = hy_picture_allocate("input", &frame, err);
    if (code != HY_OK)
        return code;
    uint8_t *row = malloc((size_t)frame.width * shape->channels);
    code = row ? hy_image_fit_pixels(pixels, spec->image.fit, &frame, note, err)
               : hy_fail(err, HY_OUT_OF_MEMORY, "a row of %" PRIu32 " pixels", frame.width);
    if (code == HY_OK)
        store_rows(&frame, spec, shape, elements, row, out);
    free(row);
    hy_picture_finish(&frame);
    return code;
}

static enum hy_code check_pixels(const struct hy_pixels *pixels, struct hy_error *err)
{
    const uint32_t channels = pixels->channels;
    const enum hy_code code = hy_picture_check_size("picture", pixels->width, pixels->height, err);
    if (code != HY_OK)
        return code;
    if (channels != 1 && channels != 3 && channels != 4)
        return hy_fail(err, HY_BAD_DATA, "pixels have %" PRIu32 " channels, need 1, 3 or 4",
                       channels);
    if (pixels->stride < (size_t)pixels->width * channels)
        return hy_fail(err, HY_BAD_DATA,
                       "the stride is %zu bytes, too small for %" PRIu32 " pixels of %" PRIu32
                       " bytes",
                       pixels->stride, pixels->width, channels);
    return HY_OK;
}

enum hy_code hy_image_fill(const struct hy_pixels *pixels, const struct hy_input_spec *spec,
                           void *out, struct hy_input_note *note, struct hy_error *err)
{
    struct hy_image_shape shape;
    struct hy_image_elements elements;
    note->text[0] = '\0';
    if ((unsigned)spec->image.channels >= HY_IMAGE_CHANNELS_COUNT)
        return hy_fail(err, HY_BAD_DATA, "channel order %d does not exist",
                       (int)spec->image.channels);
    enum hy_code code = check_pixels(pixels, err);
    if (code == HY_OK)
        code = hy_image_shape_find(spec, &shape, err);
    if (code == HY_OK)
        code = hy_image_elements_make(spec, shape.channels, &elements, err);
    if (code != HY_OK)
        return code;

    struct hy_picture opaque = {0};
    struct hy_pixels visible = *pixels;
    if (pixels->channels == 4 && shape.channels != 4) {
        code = lay_on_white(pixels, &opaque, err);
        visible = hy_picture_pixels(&opaque);
    }
    if (code == HY_OK)
        code = fit_and_store(&visible, spec, &shape, &elements, out, note, err);
    hy_picture_finish(&opaque);
    return code;
}

/* Both sides, made smaller together until neither is beyond the limit. */
static void limit_sides(uint64_t *width, uint64_t *height)
{
    const uint64_t longest = *width > *height ? *width : *height;
    if (longest <= HY_IMAGE_MAX_OPEN_SIDE)
        return;
    *width = *width * HY_IMAGE_MAX_OPEN_SIDE / longest;
    *height = *height * HY_IMAGE_MAX_OPEN_SIDE / longest;
    *width += *width == 0;
    *height += *height == 0;
}

enum hy_code hy_image_choose_dims(const struct hy_pixels *pixels, const struct hy_input_spec *spec,
                                  int32_t *dims, struct hy_error *err)
{
    struct hy_image_shape shape;
    enum hy_code code = hy_picture_check_size("picture", pixels->width, pixels->height, err);
    if (code == HY_OK)
        code = hy_image_shape_find(spec, &shape, err);
    if (code != HY_OK)
        return code;

    uint64_t width = pixels->width, height = pixels->height;
    limit_sides(&width, &height);
    for (uint32_t i = 0; i < spec->rank; i++) {
        const uint64_t open = i == shape.width_at ? width : i == shape.height_at ? height : 1;
        dims[i] = spec->dims[i] >= 0 ? spec->dims[i] : (int32_t)open;
    }
    return HY_OK;
}
