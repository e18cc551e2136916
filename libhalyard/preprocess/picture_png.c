#include "libhalyard/preprocess/picture_format.h"

#include <endian.h>
#include <inttypes.h>
#include <png.h>
#include <string.h>

#include "libhalyard/preprocess/exif.h"

/* zlib compresses at most 1032 bytes to one, and a byte has at most 8 pixels of one bit. */
enum { MAX_PIXELS_PER_BYTE = 8 * 1032 };

bool hy_png_is(const void *file, size_t length)
{
    return length >= 8 && png_sig_cmp((png_const_bytep)file, 0, 8) == 0;
}

static uint32_t load_u32(const uint8_t *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return be32toh(value);
}

/* The orientation of the chunk eXIf. A chunk is its length, its name, the bytes and a checksum. */
static unsigned read_orientation(const uint8_t *file, size_t length)
{
    for (size_t at = 8; length - at >= 12;) {
        const uint32_t bytes = load_u32(file + at);
        if (bytes > length - at - 12)
            break;
        if (memcmp(file + at + 4, "eXIf", 4) == 0)
            return hy_exif_orientation(file + at + 8, bytes);
        at += 12 + (size_t)bytes;
    }
    return 1;
}

static enum hy_code read_pixels(png_image *image, size_t length, struct hy_picture *out,
                                struct hy_error *err)
{
    /* With this flag 16 bits have the same meaning as 8 bits, only finer; else libpng interprets 16
     * bits as linear light. */
    image->flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    const bool alpha = image->format & PNG_FORMAT_FLAG_ALPHA;
    const bool colour = image->format & PNG_FORMAT_FLAG_COLOR;
    image->format = alpha ? PNG_FORMAT_RGBA : colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    out->width = image->width;
    out->height = image->height;
    out->channels = PNG_IMAGE_PIXEL_CHANNELS(image->format);

    const enum hy_code code =
        hy_picture_allocate_for_file("PNG", length, MAX_PIXELS_PER_BYTE, out, err);
    if (code != HY_OK)
        return code;
    if (!png_image_finish_read(image, NULL, out->bytes, 0, NULL))
        return hy_fail(err, HY_BAD_DATA, "PNG: %s", image->message);
    return HY_OK;
}

enum hy_code hy_png_decode(const void *file, size_t length, struct hy_picture *out,
                           unsigned *orientation, struct hy_error *err)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, file, length))
        return hy_fail(err, HY_BAD_DATA, "PNG: %s", image.message);

    const enum hy_code code = read_pixels(&image, length, out, err);
    png_image_free(&image);
    *orientation = read_orientation(file, length);
    return code;
}
