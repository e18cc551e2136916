#include "libhalyard/preprocess/picture_format.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* must follow stdio.h, because it uses FILE */
#include <jerror.h>
#include <jpeglib.h>

#include "libhalyard/preprocess/exif.h"

enum {
    MAX_SCANS = 100, /* of a progressive file; encoders write 10 or so */

    /* with Huffman codes a block of 8 x 8 luma values needs at least one bit */
    MAX_PIXELS_PER_BYTE = 8 * 64,
};

/* The state of one decoding, outside of registers because of setjmp. libjpeg gets pointers to the
 * first two members and passes them to the callbacks. */
struct jpeg_reader {
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    struct jpeg_decompress_struct decoder;
    jmp_buf failed;
    struct hy_picture *picture;
    uint8_t *row; /* of CMYK; else NULL */
    struct hy_error *err;
};

bool hy_jpeg_is(const void *file, size_t length)
{
    return length >= 3 && memcmp(file, "\xff\xd8\xff", 3) == 0;
}

static void on_error(j_common_ptr common)
{
    struct jpeg_reader *reader = (struct jpeg_reader *)common->err;
    char message[JMSG_LENGTH_MAX];
    common->err->format_message(common, message);
    const bool memory = common->err->msg_code == JERR_OUT_OF_MEMORY;
    (void)hy_fail(reader->err, memory ? HY_OUT_OF_MEMORY : HY_BAD_DATA, "JPEG: %s", message);
    longjmp(reader->failed, memory ? HY_OUT_OF_MEMORY : HY_BAD_DATA);
}

/* Level -1: the data are damaged, but libjpeg goes on with grey. What is cut off is an error. */
static void on_message(j_common_ptr common, int level)
{
    const int message = common->err->msg_code;
    if (level < 0 && (message == JWRN_JPEG_EOF || message == JWRN_HIT_MARKER))
        on_error(common);
}

/* Each scan passes over the whole picture, however few bytes it has. */
static void on_progress(j_common_ptr common)
{
    const struct jpeg_decompress_struct *decoder = (j_decompress_ptr)common;
    struct jpeg_reader *reader = (struct jpeg_reader *)common->err;
    if (decoder->input_scan_number <= MAX_SCANS)
        return;
    (void)hy_fail(reader->err, HY_BAD_DATA, "JPEG: more than %d scans", MAX_SCANS);
    longjmp(reader->failed, HY_BAD_DATA);
}

static unsigned read_orientation(const struct jpeg_decompress_struct *decoder)
{
    static const char exif[6] = "Exif\0";
    for (jpeg_saved_marker_ptr marker = decoder->marker_list; marker; marker = marker->next)
        if (marker->data_length > sizeof exif && memcmp(marker->data, exif, sizeof exif) == 0)
            return hy_exif_orientation(marker->data + sizeof exif,
                                       marker->data_length - sizeof exif);
    return 1;
}

static enum hy_code choose_colours(struct jpeg_decompress_struct *decoder, struct hy_error *err)
{
    switch (decoder->jpeg_color_space) {
    case JCS_GRAYSCALE:
        decoder->out_color_space = JCS_GRAYSCALE;
        return HY_OK;
    case JCS_YCbCr:
    case JCS_RGB:
        decoder->out_color_space = JCS_RGB;
        return HY_OK;
    case JCS_CMYK:
    case JCS_YCCK:
        decoder->out_color_space = JCS_CMYK;
        return HY_OK;
    default:
        return hy_fail(err, HY_BAD_DATA,
                       "JPEG of %d components with an unknown color space; only 1, 3 or 4 "
                       "components can be read",
                       decoder->num_components);
    }
}

/* Ink to light. Adobe's programs, which note themselves in the file, store 255 for no ink. */
static void convert_cmyk(const uint8_t *row, uint32_t width, bool inverted, uint8_t *out)
{
    const unsigned flip = inverted ? 0 : 255;
    for (uint32_t x = 0; x < width; x++)
        for (unsigned c = 0; c < 3; c++)
            out[3 * x + c] =
                (uint8_t)(((row[4 * x + c] ^ flip) * (row[4 * x + 3] ^ flip) + 127) / 255);
}

static void read_rows(struct jpeg_reader *reader)
{
    struct jpeg_decompress_struct *decoder = &reader->decoder;
    struct hy_picture *picture = reader->picture;
    while (decoder->output_scanline < decoder->output_height) {
        uint8_t *out =
            picture->bytes + (size_t)decoder->output_scanline * picture->width * picture->channels;
        JSAMPROW row = reader->row ? reader->row : out;
        jpeg_read_scanlines(decoder, &row, 1);
        if (reader->row)
            convert_cmyk(reader->row, picture->width, decoder->saw_Adobe_marker, out);
    }
    jpeg_finish_decompress(decoder);
}

static enum hy_code prepare(struct jpeg_reader *reader, size_t length, unsigned *orientation)
{
    struct jpeg_decompress_struct *decoder = &reader->decoder;
    struct hy_picture *picture = reader->picture;
    *orientation = read_orientation(decoder);
    enum hy_code code = choose_colours(decoder, reader->err);
    if (code != HY_OK)
        return code;

    const bool cmyk = decoder->out_color_space == JCS_CMYK;
    picture->width = decoder->image_width;
    picture->height = decoder->image_height;
    picture->channels = decoder->out_color_space == JCS_GRAYSCALE ? 1 : 3;
    const uint32_t most = decoder->arith_code ? UINT32_MAX : MAX_PIXELS_PER_BYTE;
    code = hy_picture_allocate_for_file("JPEG", length, most, picture, reader->err);
    if (code == HY_OK && cmyk && !(reader->row = malloc((size_t)picture->width * 4)))
        code = hy_fail(reader->err, HY_OUT_OF_MEMORY, "JPEG: a row of %" PRIu32 " pixels",
                       picture->width);
    return code;
}

static enum hy_code decode(struct jpeg_reader *reader, const void *file, size_t length,
                           unsigned *orientation)
{
    struct jpeg_decompress_struct *decoder = &reader->decoder;
    const int failed = setjmp(reader->failed);
    if (failed)
        return (enum hy_code)failed;

    jpeg_create_decompress(decoder);
    decoder->progress = &reader->progress;
    jpeg_mem_src(decoder, file, length);
    jpeg_save_markers(decoder, JPEG_APP0 + 1, 0xffff); /* EXIF */
    jpeg_read_header(decoder, TRUE);
    const enum hy_code code = prepare(reader, length, orientation);
    if (code != HY_OK)
        return code;
    jpeg_start_decompress(decoder);
    read_rows(reader);
    return HY_OK;
}

enum hy_code hy_jpeg_decode(const void *file, size_t length, struct hy_picture *out,
                            unsigned *orientation, struct hy_error *err)
{
    struct jpeg_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return hy_fail(err, HY_OUT_OF_MEMORY, "JPEG");
    reader->picture = out;
    reader->err = err;
    reader->decoder.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = on_error;
    reader->errors.emit_message = on_message;
    reader->progress.progress_monitor = on_progress;

    const enum hy_code code = decode(reader, file, length, orientation);
    jpeg_destroy_decompress(&reader->decoder);
    free(reader->row);
    free(reader);
    return code;
}
