#ifndef HY_LIBHALYARD_TFLITE_METADATA_TFLITE_METADATA_H
#define HY_LIBHALYARD_TFLITE_METADATA_TFLITE_METADATA_H

#include <stddef.h>

#include "common/memory/arena.h"
#include "libhalyard/tflite/metadata/label_list.h"

/*
 * What a `.tflite` file says for people and for applications, beside the network: a FlatBuffer
 * "M001" in the metadata entry TFLITE_METADATA (metadata_schema.fbs of TensorFlow Lite Support),
 * and files that the FlatBuffer names, in a ZIP archive that is appended to the file.
 *
 * Metadata is advice. Wrong or hostile metadata is left out, in whole or in part, with a note, and
 * never keeps a network from running. Time and memory are bounded (see the limits in
 * tflite_metadata.c), whatever the metadata asks for.
 */

enum { HY_METADATA_MAX_CHANNELS = 4 };

/* An input or output of the first subgraph. Texts are printable and never NULL. */
struct hy_tflite_tensor_metadata {
    const char *name;
    const char *description;
    uint32_t mean_count; /* 0: no normalisation; 1: for all channels; else one for each channel */
    float means[HY_METADATA_MAX_CHANNELS];
    float stds[HY_METADATA_MAX_CHANNELS]; /* not 0; value' = (value - mean) / std */
    uint32_t image_width, image_height;   /* that a picture should have where the shape is open; 0:
                                             nothing is said */
    struct hy_label_list labels;          /* names of the slices of an axis: the classes */
    struct hy_label_list value_labels;    /* names of the numbers in a tensor of class indices */
};

struct hy_tflite_metadata {
    struct hy_arena arena;
    const char *name; /* of the model, never NULL; so are the next four */
    const char *description;
    const char *version;
    const char *author;
    const char *license;
    uint32_t input_count, output_count; /* that there is metadata of */
    const struct hy_tflite_tensor_metadata *inputs;
    const struct hy_tflite_tensor_metadata *outputs;
    char note[HY_ERROR_TEXT_SIZE]; /* what was left out first, and why; "": nothing was */
};

/* Reads the metadata of a `.tflite` file; without any, `out` is empty. The struct does not point
 * into the file. The caller finishes `out`. */
void hy_tflite_metadata_read(const void *file, size_t length, struct hy_tflite_metadata *out);
void hy_tflite_metadata_finish(struct hy_tflite_metadata *metadata); /* takes a zeroed struct */

/* Of input or output `index` of the first subgraph; an empty one where there is none. */
const struct hy_tflite_tensor_metadata *
hy_tflite_metadata_input(const struct hy_tflite_metadata *metadata, uint32_t index);
const struct hy_tflite_tensor_metadata *
hy_tflite_metadata_output(const struct hy_tflite_metadata *metadata, uint32_t index);

#endif
