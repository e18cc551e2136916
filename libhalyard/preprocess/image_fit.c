#include "libhalyard/preprocess/image_fit.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "libhalyard/preprocess/resize.h"

/* a * b / c, rounded, and 1 at least. Sides are below 2^16. */
static uint32_t in_proportion(uint32_t a, uint32_t b, uint32_t c)
{
    const uint64_t side = ((uint64_t)a * b + c / 2) / c;
    return side > 0 ? (uint32_t)side : 1;
}

static bool is_wider(const struct hy_pixels *pixels, const struct hy_picture *frame)
{
    return (uint64_t)pixels->width * frame->height > (uint64_t)pixels->height * frame->width;
}

static enum hy_code stretch(const struct hy_pixels *pixels, const struct hy_picture *frame,
                            struct hy_error *err)
{
    return hy_resize(pixels, frame->bytes, (size_t)frame->width * frame->channels, frame->width,
                     frame->height, err);
}

static struct hy_pixels crop(const struct hy_pixels *pixels, const struct hy_picture *frame)
{
    struct hy_pixels part = *pixels;
    if (is_wider(pixels, frame))
        part.width = in_proportion(pixels->height, frame->width, frame->height);
    else
        part.height = in_proportion(pixels->width, frame->height, frame->width);
    part.width = part.width < pixels->width ? part.width : pixels->width;
    part.height = part.height < pixels->height ? part.height : pixels->height;
    part.bytes += (pixels->height - part.height) / 2 * pixels->stride +
                  (size_t)(pixels->width - part.width) / 2 * pixels->channels;
    return part;
}

static void paint(const struct hy_picture *frame)
{
    const size_t pixels = (size_t)frame->width * frame->height;
    memset(frame->bytes, HY_IMAGE_LETTERBOX_GREY, pixels * frame->channels);
    for (size_t i = 0; frame->channels == 4 && i < pixels; i++)
        frame->bytes[4 * i + 3] = 255;
}

/* `*width` and `*height` become the size of the picture inside the frame. */
static enum hy_code letterbox(const struct hy_pixels *pixels, const struct hy_picture *frame,
                              uint32_t *width, uint32_t *height, struct hy_error *err)
{
    *width = frame->width;
    *height = frame->height;
    if (is_wider(pixels, frame))
        *height = in_proportion(pixels->height, frame->width, pixels->width);
    else
        *width = in_proportion(pixels->width, frame->height, pixels->height);
    *width = *width < frame->width ? *width : frame->width;
    *height = *height < frame->height ? *height : frame->height;

    paint(frame);
    const size_t stride = (size_t)frame->width * frame->channels;
    uint8_t *inside = frame->bytes + (frame->height - *height) / 2 * stride +
                      (size_t)(frame->width - *width) / 2 * frame->channels;
    return hy_resize(pixels, inside, stride, *width, *height, err);
}

/* "cropped from 200 x 100 to 100 x 100, scaled from 100 x 100 to 50 x 50 pixels" */
static void set_note(struct hy_input_note *note, const struct hy_pixels *pixels,
                     const struct hy_pixels *part, uint32_t width, uint32_t height)
{
    const bool cropped = part->width != pixels->width || part->height != pixels->height;
    const bool scaled = part->width != width || part->height != height;
    char *text = note->text;
    size_t capacity = sizeof note->text;
    if (cropped) {
        const int used = snprintf(
            text, capacity, "cropped from %" PRIu32 " x %" PRIu32 " to %" PRIu32 " x %" PRIu32 "%s",
            pixels->width, pixels->height, part->width, part->height, scaled ? ", " : " pixels");
        text += used;
        capacity -= (size_t)used;
    }
    if (scaled)
        snprintf(text, capacity,
                 "scaled from %" PRIu32 " x %" PRIu32 " to %" PRIu32 " x %" PRIu32 " pixels",
                 part->width, part->height, width, height);
}

enum hy_code hy_image_fit_pixels(const struct hy_pixels *pixels, enum hy_image_fit fit,
                                 const struct hy_picture *frame, struct hy_input_note *note,
                                 struct hy_error *err)
{
    uint32_t width = frame->width, height = frame->height;
    struct hy_pixels part = *pixels;
    enum hy_code code;
    switch (fit) {
    case HY_IMAGE_FIT_STRETCH:
        code = stretch(pixels, frame, err);
        break;
    case HY_IMAGE_FIT_CROP:
        part = crop(pixels, frame);
        code = stretch(&part, frame, err);
        break;
    case HY_IMAGE_FIT_LETTERBOX:
        code = letterbox(pixels, frame, &width, &height, err);
        break;
    default:
        return hy_fail(err, HY_BAD_DATA, "fit %d does not exist", (int)fit);
    }
    if (code == HY_OK)
        set_note(note, pixels, &part, width, height);
    return code;
}
