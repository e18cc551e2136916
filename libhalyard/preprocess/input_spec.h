#ifndef HY_LIBHALYARD_PREPROCESS_INPUT_SPEC_H
#define HY_LIBHALYARD_PREPROCESS_INPUT_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "libhalyard/graph/element.h"

enum hy_image_fit {
    HY_IMAGE_FIT_STRETCH, /* the whole picture; proportions may change */
    HY_IMAGE_FIT_CROP,    /* the largest centred part with the proportions of the input */
    /* the whole picture with its proportions, with grey around it */
    HY_IMAGE_FIT_LETTERBOX,
    HY_IMAGE_FIT_COUNT
};

enum hy_image_channels { HY_IMAGE_CHANNELS_RGB, HY_IMAGE_CHANNELS_BGR, HY_IMAGE_CHANNELS_COUNT };

enum hy_image_layout {
    HY_IMAGE_LAYOUT_FROM_SHAPE,
    HY_IMAGE_LAYOUT_NHWC,
    HY_IMAGE_LAYOUT_NCHW,
    HY_IMAGE_LAYOUT_COUNT
};

enum { HY_IMAGE_MAX_CHANNELS = 4 };

/* Options for the conversion of a picture to a tensor. All zero: the defaults of image.h. */
struct hy_image_options {
    enum hy_image_fit fit;
    enum hy_image_channels channels;
    enum hy_image_layout layout;
    /* 0: by the tensor's type; 1: one mean for all channels; else one for each channel, in the
     * order of the tensor */
    uint32_t mean_count;
    float means[HY_IMAGE_MAX_CHANNELS];
    float stds[HY_IMAGE_MAX_CHANNELS];
};

/* The tensor to fill: its type, its shape without open dimensions, its quantisation (scale 0: not
 * quantised), and the options for pictures. */
struct hy_input_spec {
    enum hy_element type;
    uint32_t rank;
    const int32_t *dims;
    float scale;
    int32_t zero_point;
    struct hy_image_options image;
};

/* The applied conversions, as a text for the user; empty without conversions. */
struct hy_input_note {
    char text[160];
};

/* "float32[1,96,96,3]" for messages. Truncated to `size` bytes. */
void hy_input_spec_text(const struct hy_input_spec *spec, char *text, size_t size);

#endif
