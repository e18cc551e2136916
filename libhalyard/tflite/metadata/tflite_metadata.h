#ifndef HY_LIBHALYARD_TFLITE_METADATA_TFLITE_METADATA_H
#define HY_LIBHALYARD_TFLITE_METADATA_TFLITE_METADATA_H

#include <stddef.h>

#include "common/memory/arena.h"
#include "libhalyard/tflite/metadata/label_list.h"

/*
 * The metadata of a `.tflite` file for people and for applications: a FlatBuffer "M001" in the
 * metadata entry TFLITE_METADATA (metadata_schema.fbs of TensorFlow Lite Support), and files that
 * the FlatBuffer names, in a ZIP archive at the end of the file.
 *
 * Metadata is optional. Wrong or hostile metadata is ignored, in whole or in part, with a note, and
 * never keeps a network from running. Time and memory are bounded for any metadata (see the limits
 * in tflite_metadata.c).
 */

enum { HY_METADATA_MAX_CHANNELS = 4 };

/* An input or output of the first subgraph. Texts are printable and never NULL. */
struct hy_tflite_tensor_metadata {
    const char *name;
    const char *description;
    /* 0: no normalisation; 1: one mean for all channels; else one for each channel */
    uint32_t mean_count;
    float means[HY_METADATA_MAX_CHANNELS];
    float stds[HY_METADATA_MAX_CHANNELS]; /* not 0; value' = (value - mean) / std */
    /* the preferred size of a picture in pixels, for an open shape; 0: unknown */
    uint32_t image_width, image_height;
    struct hy_label_list labels;       /* names of the slices of an axis: the classes */
    struct hy_label_list value_labels; /* names of the values of a tensor of class indices */
};

struct hy_tflite_metadata {
    struct hy_arena arena;
    const char *name; /* name of the model, never NULL, as the next four members */
    const char *description;
    const char *version;
    const char *author;
    const char *license;
    uint32_t input_count, output_count; /* inputs and outputs with metadata */
    const struct hy_tflite_tensor_metadata *inputs;
    const struct hy_tflite_tensor_metadata *outputs;
    char note[HY_ERROR_TEXT_SIZE]; /* the first ignored part, with the reason; "": no part */
};

/* Reads the metadata of a `.tflite` file; without metadata `out` is empty. The struct has no
 * pointers into the file. The caller finishes `out`. */
void hy_tflite_metadata_read(const void *file, size_t length, struct hy_tflite_metadata *out);
/* A zeroed struct is valid. */
void hy_tflite_metadata_finish(struct hy_tflite_metadata *metadata);

/* Metadata of input or output `index` of the first subgraph; an empty struct without metadata. */
const struct hy_tflite_tensor_metadata *
hy_tflite_metadata_input(const struct hy_tflite_metadata *metadata, uint32_t index);
const struct hy_tflite_tensor_metadata *
hy_tflite_metadata_output(const struct hy_tflite_metadata *metadata, uint32_t index);

#endif
