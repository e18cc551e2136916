#include "libhalyard/preprocess/image.h"

#include <inttypes.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libhalyard/preprocess/resize.h"

enum { MAX_PIXELS = 1 << 26 };

bool hy_png_is(const void *file, size_t length)
{
    return length >= 8 && png_sig_cmp((png_const_bytep)file, 0, 8) == 0;
}

static enum hy_code check_spec(const struct hy_input_spec *spec, struct hy_pixels *out,
                               struct hy_error *err)
{
    const int32_t *dims = spec->dims;
    const bool is_image = spec->rank == 4 && dims[0] == 1 && dims[1] > 0 && dims[2] > 0 &&
                          (dims[3] == 1 || dims[3] == 3 || dims[3] == 4) &&
                          (int64_t)dims[1] * dims[2] <= MAX_PIXELS;
    const bool is_pixel_type = spec->type == HY_ELEMENT_UINT8 || spec->type == HY_ELEMENT_FLOAT32 ||
                               (spec->type == HY_ELEMENT_INT8 && spec->scale > 0);
    if (!is_image || !is_pixel_type) {
        char shape[96];
        hy_input_spec_text(spec, shape, sizeof shape);
        return hy_fail(err, HY_BAD_DATA,
                       "a PNG cannot fill the input %s; it needs [1,H,W,C], C 1, 3 or 4, of uint8, "
                       "float32 or quantised int8",
                       shape);
    }
    *out = (struct hy_pixels){
        .width = (uint32_t)dims[2], .height = (uint32_t)dims[1], .channels = (uint32_t)dims[3]};
    return HY_OK;
}

/* Decodes all pixels as the channels asked for. On success the caller frees `*out`. */
static enum hy_code read_pixels(png_image *image, struct hy_pixels *size, uint8_t **out,
                                struct hy_error *err)
{
    static const png_color white = {255, 255, 255};

    *size = (struct hy_pixels){image->width, image->height, size->channels};
    if ((uint64_t)image->width * image->height > MAX_PIXELS)
        return hy_fail(err, HY_BAD_DATA, "PNG of %" PRIu32 " x %" PRIu32 " exceeds %d pixels",
                       image->width, image->height, MAX_PIXELS);
    image->format = size->channels == 1   ? PNG_FORMAT_GRAY
                    : size->channels == 3 ? PNG_FORMAT_RGB
                                          : PNG_FORMAT_RGBA;
    uint8_t *pixels = malloc(PNG_IMAGE_SIZE(*image));
    if (!pixels)
        return hy_fail(err, HY_OUT_OF_MEMORY, "PNG of %" PRIu32 " x %" PRIu32, image->width,
                       image->height);
    if (!png_image_finish_read(image, &white, pixels, 0, NULL)) {
        free(pixels);
        return hy_fail(err, HY_BAD_DATA, "PNG: %s", image->message);
    }
    *out = pixels;
    return HY_OK;
}

static enum hy_code decode(const void *file, size_t length, struct hy_pixels *size, uint8_t **out,
                           struct hy_error *err)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, file, length))
        return hy_fail(err, HY_BAD_DATA, "PNG: %s", image.message);
    enum hy_code code = read_pixels(&image, size, out, err);
    png_image_free(&image);
    return code;
}

static int8_t quantise(uint8_t pixel, float scale, int32_t zero_point)
{
    const double real = (double)scale * 256 < 128 ? pixel / 255.0 : pixel;
    const double stored = round(real / (double)scale) + zero_point;
    return (int8_t)(stored < -128 ? -128 : stored > 127 ? 127 : stored);
}

static void store(const uint8_t *pixels, size_t count, const struct hy_input_spec *spec, void *out)
{
    uint8_t *bytes = out;
    for (size_t i = 0; i < count; i++) {
        if (spec->type == HY_ELEMENT_FLOAT32) {
            const float real = (float)pixels[i] / 255.0f;
            memcpy(bytes + i * sizeof real, &real, sizeof real);
        } else if (spec->type == HY_ELEMENT_INT8) {
            bytes[i] = (uint8_t)quantise(pixels[i], spec->scale, spec->zero_point);
        } else {
            bytes[i] = pixels[i];
        }
    }
}

/* Replaces `*pixels` by the same picture in another size. */
static enum hy_code fit(uint8_t **pixels, const struct hy_pixels *from, const struct hy_pixels *to,
                        struct hy_input_note *note, struct hy_error *err)
{
    if (from->width == to->width && from->height == to->height)
        return HY_OK;
    uint8_t *scaled = calloc((size_t)to->width * to->height, to->channels);
    if (!scaled)
        return hy_fail(err, HY_OUT_OF_MEMORY, "scaling to %u x %u pixels", to->width, to->height);
    enum hy_code code = hy_resize(*pixels, from, scaled, to, err);
    if (code != HY_OK) {
        free(scaled);
        return code;
    }
    free(*pixels);
    *pixels = scaled;
    snprintf(note->text, sizeof note->text,
             "scaled from %" PRIu32 " x %" PRIu32 " to %" PRIu32 " x %" PRIu32 " pixels",
             from->width, from->height, to->width, to->height);
    return HY_OK;
}

enum hy_code hy_png_decode(const void *file, size_t length, const struct hy_input_spec *spec,
                           void *out, struct hy_input_note *note, struct hy_error *err)
{
    struct hy_pixels wanted;
    enum hy_code code = check_spec(spec, &wanted, err);
    if (code != HY_OK)
        return code;

    struct hy_pixels found = {.channels = wanted.channels};
    uint8_t *pixels = NULL;
    code = decode(file, length, &found, &pixels, err);
    if (code == HY_OK)
        code = fit(&pixels, &found, &wanted, note, err);
    if (code == HY_OK)
        store(pixels, (size_t)wanted.width * wanted.height * wanted.channels, spec, out);
    free(pixels);
    return code;
}
