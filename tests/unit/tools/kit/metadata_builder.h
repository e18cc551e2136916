#ifndef HY_TESTS_UNIT_TOOLS_KIT_METADATA_BUILDER_H
#define HY_TESTS_UNIT_TOOLS_KIT_METADATA_BUILDER_H

#include "tests/unit/tools/kit/tflite_builder.h"
#include "tests/unit/tools/kit/zip_writer.h"

/*
 * Builds metadata of `.tflite` files: a FlatBuffer "M001". Nothing is checked, so tests can build
 * invalid metadata. A list with count 0 is omitted.
 */

enum { FILE_IS_DESCRIPTION = 1, FILE_IS_AXIS_LABELS = 2, FILE_IS_VALUE_LABELS = 3 };

struct metadata_tensor {
    const char *name, *description;
    uint32_t mean_count, std_count;
    const float *means, *stds;
    uint32_t image_width, image_height; /* 0: no size */
    const char *file;                   /* NULL: none */
    uint8_t file_type;
};

struct metadata_spec {
    const char *name, *description;
    uint32_t input_count, output_count;
    const struct metadata_tensor *inputs, *outputs;
};

/* The caller frees the bytes. */
uint8_t *make_metadata(const struct metadata_spec *spec, size_t *length);

/* A network with a RELU from "image", float32[1,1,1,3], to "scores", with the given metadata.
 * Appends an archive if `entry_count` is not 0. The caller frees the bytes. */
uint8_t *make_network_with_metadata(const struct metadata_spec *spec,
                                    const struct zip_entry *entries, uint32_t entry_count,
                                    size_t *length);

/* RELU of float32[?,?,?,3] without metadata; the shapes in the file are [1,1,1,3]. */
uint8_t *make_network_of_open_size(size_t *length);

#endif
