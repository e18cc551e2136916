#ifndef HY_TESTS_UNIT_TOOLS_KIT_TFLITE_BUILDER_H
#define HY_TESTS_UNIT_TOOLS_KIT_TFLITE_BUILDER_H

#include "libhalyard/tflite/tflite_options.h"
#include "libhalyard/tflite/tflite_types.h"
#include "tests/unit/tools/kit/flatbuffer_writer.h"

/*
 * Builds `.tflite` models in memory:
 *
 *     struct hy_builder *b = hy_builder_create();
 *     int32_t x = hy_builder_tensor(b, &(struct hy_builder_tensor){
 *         .name = "x", .type = HY_TFLITE_FLOAT32, .rank = 2, .dims = {1, 4}});
 *     int32_t y = ...
 *     hy_builder_operator(b, &(struct hy_builder_operator){
 *         .op = HY_TFLITE_OP_RELU, .input_count = 1, .inputs = {x}, .output_count = 1,
 *         .outputs = {y}});
 *     hy_builder_input(b, x);
 *     hy_builder_output(b, y);
 *     size_t length;
 *     uint8_t *bytes = hy_builder_finish(b, &length);  (destroys b; free() the bytes)
 *
 * Nothing is checked, so tests can build invalid models. Pointers must stay valid until finish.
 * Constants are aligned to 4 bytes only.
 */
struct hy_builder;

enum {
    HY_BUILDER_MAX_RANK = 10,
    HY_BUILDER_MAX_OPERANDS = 48,
    HY_BUILDER_MAX_OPTIONS = 8,
};

struct hy_builder_tensor {
    const char *name; /* NULL: omitted */
    int type;
    uint32_t rank;
    int32_t dims[HY_BUILDER_MAX_RANK];
    uint32_t signature_rank; /* 0: omitted */
    int32_t signature[HY_BUILDER_MAX_RANK];
    const void *data; /* NULL: not a constant */
    uint32_t bytes;
    uint32_t buffer;     /* not 0: use this buffer instead of a new buffer */
    uint64_t far_offset; /* not 0: `far_bytes` of the file at this offset replace `data` */
    uint64_t far_bytes;
    uint32_t scale_count;
    const float *scales;
    uint32_t zero_point_count;
    const int64_t *zero_points;
    int32_t quantised_dimension;
    bool is_variable;
};

struct hy_builder_operator {
    int op;
    uint32_t version; /* 0: 1 */
    const char *custom_name;
    const void *custom_options; /* a flexbuffer; NULL: none */
    uint32_t custom_bytes;
    uint32_t input_count;
    int32_t inputs[HY_BUILDER_MAX_OPERANDS];
    uint32_t output_count;
    int32_t outputs[HY_BUILDER_MAX_OPERANDS];
    uint32_t intermediate_count;
    int32_t intermediates[HY_BUILDER_MAX_OPERANDS];
    unsigned options_kind; /* HY_TFLITE_OPTIONS_..., 0: omitted */
    unsigned option_count;
    struct hy_fbw_field options[HY_BUILDER_MAX_OPTIONS]; /* scalars; for vectors see `ints` */

    uint64_t far_options_offset; /* not 0: custom options are a range of the file */
    uint64_t far_options_bytes;

    /* A vector of int32 as the only field (slot 0) of the options: RESHAPE, SQUEEZE. */
    uint32_t int_count;
    const int32_t *ints;

    /* not NULL: a string as the only field (slot 1) of the options: VAR_HANDLE */
    const char *text;
};

enum { HY_BUILDER_MAX_SIGNATURE = 4 };

/* Names for tensors of a sub-graph; NULL ends a list. */
struct hy_builder_signature {
    const char *key;
    uint32_t subgraph;
    const char *input_names[HY_BUILDER_MAX_SIGNATURE];
    uint32_t inputs[HY_BUILDER_MAX_SIGNATURE];
    const char *output_names[HY_BUILDER_MAX_SIGNATURE];
    uint32_t outputs[HY_BUILDER_MAX_SIGNATURE];
};

struct hy_builder *hy_builder_create(void);

/* Each function adds to the current sub-graph, initially the first. hy_builder_tensor returns the
 * index. */
int32_t hy_builder_tensor(struct hy_builder *builder, const struct hy_builder_tensor *tensor);
void hy_builder_operator(struct hy_builder *builder, const struct hy_builder_operator *operator_);
void hy_builder_input(struct hy_builder *builder, int32_t tensor);
void hy_builder_output(struct hy_builder *builder, int32_t tensor);

/* Begins the next sub-graph. */
void hy_builder_subgraph(struct hy_builder *builder);

void hy_builder_signature(struct hy_builder *builder, const struct hy_builder_signature *signature);

/* Adds an entry of the file's metadata. At most one entry is possible. */
void hy_builder_metadata(struct hy_builder *builder, const char *name, const void *data,
                         uint32_t bytes);

uint8_t *hy_builder_finish(struct hy_builder *builder, size_t *length);

#endif
