#include "tests/unit/tools/kit/jpeg_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After stdio.h, whose FILE it uses. */
#include <jpeglib.h>

static void put(uint8_t *at, unsigned value, unsigned bytes, bool big_endian)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * (big_endian ? bytes - 1 - i : i));
}

void make_tiff(unsigned orientation, bool big_endian, uint8_t out[TIFF_BYTES])
{
    memset(out, 0, TIFF_BYTES);
    memcpy(out, big_endian ? "MM" : "II", 2);
    put(out + 2, 42, 2, big_endian);
    put(out + 4, 8, 4, big_endian);       /* the directory */
    put(out + 8, 1, 2, big_endian);       /* its entries */
    put(out + 10, 0x0112, 2, big_endian); /* orientation */
    put(out + 12, 3, 2, big_endian);      /* 16 bits */
    put(out + 14, 1, 4, big_endian);
    put(out + 18, orientation, 2, big_endian);
}

static void choose_colours(struct jpeg_compress_struct *encoder, const struct jpeg_spec *spec)
{
    encoder->input_components = (int)spec->channels;
    encoder->in_color_space = spec->channels == 1   ? JCS_GRAYSCALE
                              : spec->channels == 3 ? JCS_RGB
                                                    : JCS_CMYK;
    jpeg_set_defaults(encoder);
    if (spec->ycck)
        jpeg_set_colorspace(encoder, JCS_YCCK);
    if (spec->without_adobe)
        encoder->write_Adobe_marker = FALSE;
    for (int i = 0; i < encoder->num_components; i++)
        encoder->comp_info[i].h_samp_factor = encoder->comp_info[i].v_samp_factor = 1;
    jpeg_set_quality(encoder, 100, TRUE);
    if (spec->progressive)
        jpeg_simple_progression(encoder);
}

static void write_exif(struct jpeg_compress_struct *encoder, unsigned orientation)
{
    uint8_t block[6 + TIFF_BYTES] = "Exif";
    make_tiff(orientation, true, block + 6);
    jpeg_write_marker(encoder, JPEG_APP0 + 1, block, sizeof block);
}

struct image_file make_jpeg(const struct jpeg_spec *spec)
{
    struct jpeg_compress_struct encoder = {0};
    struct jpeg_error_mgr errors;
    encoder.err = jpeg_std_error(&errors); /* an error ends the program */
    jpeg_create_compress(&encoder);
    unsigned char *bytes = NULL;
    unsigned long length = 0;
    jpeg_mem_dest(&encoder, &bytes, &length);
    encoder.image_width = spec->width;
    encoder.image_height = spec->height;
    choose_colours(&encoder, spec);
    jpeg_start_compress(&encoder, TRUE);
    if (spec->orientation)
        write_exif(&encoder, spec->orientation);
    for (uint32_t y = 0; y < spec->height; y++) {
        JSAMPROW row = (JSAMPROW)spec->pixels + (size_t)y * spec->width * spec->channels;
        jpeg_write_scanlines(&encoder, &row, 1);
    }
    jpeg_finish_compress(&encoder);
    jpeg_destroy_compress(&encoder);
    return (struct image_file){bytes, length};
}
