#ifndef HY_LIBHALYARD_PREPROCESS_INPUT_SPEC_H
#define HY_LIBHALYARD_PREPROCESS_INPUT_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "libhalyard/graph/element.h"

enum hy_image_fit {
    HY_IMAGE_FIT_STRETCH,   /* the whole picture, whatever its proportions */
    HY_IMAGE_FIT_CROP,      /* the largest centred part of the input's proportions */
    HY_IMAGE_FIT_LETTERBOX, /* the whole picture in its proportions, with grey around the picture */
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

/* How a picture becomes a tensor. All zero: the defaults of image.h. */
struct hy_image_options {
    enum hy_image_fit fit;
    enum hy_image_channels channels;
    enum hy_image_layout layout;
    uint32_t mean_count; /* 0: by the tensor's type; 1: for all channels; else one for each channel,
                            in the order of the tensor */
    float means[HY_IMAGE_MAX_CHANNELS];
    float stds[HY_IMAGE_MAX_CHANNELS];
};

/* The tensor that is to be filled: its type, its shape with no dimension left open, how real
 * numbers are stored in it (scale 0: not quantised), and how pictures are mapped. */
struct hy_input_spec {
    enum hy_element type;
    uint32_t rank;
    const int32_t *dims;
    float scale;
    int32_t zero_point;
    struct hy_image_options image;
};

/* What was done to the data that its owner may want to know; an empty text if nothing was. */
struct hy_input_note {
    char text[160];
};

/* "float32[1,96,96,3]" for messages. Cut to fit. */
void hy_input_spec_text(const struct hy_input_spec *spec, char *text, size_t size);

#endif
