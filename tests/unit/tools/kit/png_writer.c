#include "tests/unit/tools/kit/png_writer.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

struct image_file make_png(uint32_t width, uint32_t height, uint32_t format, const uint8_t *pixels)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = format};
    png_alloc_size_t length = 0;
    if (!png_image_write_get_memory_size(image, length, 0, pixels, 0, NULL))
        abort();
    struct image_file file = {.bytes = malloc(length)};
    if (!file.bytes || !png_image_write_to_memory(&image, file.bytes, &length, 0, pixels, 0, NULL))
        abort();
    file.length = length;
    return file;
}

static void append(png_structp png, png_bytep bytes, size_t length)
{
    struct image_file *file = png_get_io_ptr(png);
    file->bytes = realloc(file->bytes, file->length + length);
    if (!file->bytes)
        abort();
    memcpy(file->bytes + file->length, bytes, length);
    file->length += length;
}

static void flush(png_structp png)
{
    (void)png;
}

static void write_header(png_structp png, png_infop info, const struct stored_png *from)
{
    static const png_color palette[] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}};
    png_set_IHDR(png, info, from->width, 1, from->depth, from->colour, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (from->colour == PNG_COLOR_TYPE_PALETTE)
        png_set_PLTE(png, info, palette, 3);
    if (from->exif_bytes)
        png_set_eXIf_1(png, info, from->exif_bytes, (png_bytep)from->exif);
    png_write_info(png, info);
}

struct image_file make_stored_png(const struct stored_png *from)
{
    struct image_file file = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png)))
        abort();
    png_set_write_fn(png, &file, append, flush);
    write_header(png, info, from);
    png_write_row(png, from->row);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return file;
}
