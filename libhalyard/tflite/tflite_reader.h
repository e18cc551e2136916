#ifndef HY_LIBHALYARD_TFLITE_TFLITE_READER_H
#define HY_LIBHALYARD_TFLITE_TFLITE_READER_H

#include "libhalyard/tflite/flatbuffer.h"
#include "libhalyard/tflite/tflite_model.h"

/* Shared by the files that read one model; no file outside libhalyard/tflite/ includes this
 * header. */

struct hy_tflite_block;

struct hy_tflite_operator_code {
    enum hy_tflite_op op;
    uint32_t version;
    const char *custom_name;
};

struct hy_tflite_reader {
    struct hy_fb fb;
    struct hy_error *err;
    const struct hy_tflite_limits *limits;
    struct hy_tflite_block *blocks; /* all memory of the model, freed together */
    uint64_t budget;                /* remaining bytes that the model may allocate */
    /* shared zero points of value 0; NULL: not allocated yet */
    const int32_t *zeros;
    uint32_t zero_count;

    struct hy_fb_vector buffers;
    uint32_t operator_code_count;
    const struct hy_tflite_operator_code *operator_codes;
    uint32_t subgraph_count;
    uint32_t tensors_left;
    uint32_t operators_left;
};

/* Zeroed memory that lives as long as the model, aligned to 8 bytes. NULL only after a failure,
 * with its reason in *code. */
void *hy_tflite_alloc(struct hy_tflite_reader *reader, uint64_t count, size_t size,
                      enum hy_code *code);
void hy_tflite_free_blocks(struct hy_tflite_block *blocks);

/* Copies of a field: the model does not change when the file changes. Absent: "" and 0. Control
 * characters of a string become '?'. */
HY_MUST_CHECK enum hy_code hy_tflite_copy_string(struct hy_tflite_reader *reader,
                                                 const struct hy_fb_table *table, unsigned slot,
                                                 const char **out);
HY_MUST_CHECK enum hy_code hy_tflite_copy_ints(struct hy_tflite_reader *reader,
                                               const struct hy_fb_table *table, unsigned slot,
                                               struct hy_tflite_ints *out);
HY_MUST_CHECK enum hy_code hy_tflite_copy_floats(struct hy_tflite_reader *reader,
                                                 const struct hy_fb_table *table, unsigned slot,
                                                 struct hy_tflite_floats *out);

HY_MUST_CHECK enum hy_code hy_tflite_read_operator_codes(struct hy_tflite_reader *reader,
                                                         const struct hy_fb_table *model);
HY_MUST_CHECK enum hy_code hy_tflite_read_subgraph(struct hy_tflite_reader *reader,
                                                   const struct hy_fb_table *table,
                                                   struct hy_tflite_subgraph *out);
HY_MUST_CHECK enum hy_code hy_tflite_read_tensor(struct hy_tflite_reader *reader,
                                                 const struct hy_fb_table *table,
                                                 struct hy_tflite_tensor *out);
HY_MUST_CHECK enum hy_code hy_tflite_read_operator(struct hy_tflite_reader *reader,
                                                   const struct hy_fb_table *table,
                                                   uint32_t tensor_count,
                                                   struct hy_tflite_operator *out);
HY_MUST_CHECK enum hy_code hy_tflite_read_options(struct hy_tflite_reader *reader,
                                                  const struct hy_fb_table *operator_table,
                                                  enum hy_tflite_op op,
                                                  struct hy_tflite_options *out);

HY_MUST_CHECK enum hy_code hy_tflite_read_sparsity(struct hy_tflite_reader *reader,
                                                   const struct hy_fb_table *table, uint32_t rank,
                                                   struct hy_sparsity *out);

/* Called after the subgraphs, because signatures refer to subgraphs. */
HY_MUST_CHECK enum hy_code hy_tflite_read_signatures(struct hy_tflite_reader *reader,
                                                     const struct hy_fb_table *root,
                                                     struct hy_tflite_model *out);

/*
 * Bytes of the file after the FlatBuffer, since version 3c: `size` bytes at `offset` from the start
 * of the file. Offsets 0 and 1 mean no bytes: *bytes is NULL. The caller names the object in the
 * error.
 */
HY_MUST_CHECK enum hy_code hy_tflite_find_far_bytes(struct hy_tflite_reader *reader,
                                                    uint64_t offset, uint64_t size,
                                                    const void **bytes);

/* Checks the buffers after the FlatBuffer: each is inside the file, and two buffers are disjoint or
 * identical. */
HY_MUST_CHECK enum hy_code hy_tflite_check_far_buffers(struct hy_tflite_reader *reader);

/* Checks that each index is below `count`, or -1 if `optional`. `what` names the list in the
 * error. */
HY_MUST_CHECK enum hy_code hy_tflite_check_indices(struct hy_tflite_reader *reader,
                                                   const char *what,
                                                   const struct hy_tflite_ints *indices,
                                                   uint32_t count, bool optional);

/* Field numbers of the schema (version 3c). */
enum {
    MODEL_VERSION = 0,
    MODEL_OPERATOR_CODES = 1,
    MODEL_SUBGRAPHS = 2,
    MODEL_DESCRIPTION = 3,
    MODEL_BUFFERS = 4,
    MODEL_SIGNATURES = 7,

    SIGNATURE_INPUTS = 0,
    SIGNATURE_OUTPUTS = 1,
    SIGNATURE_KEY = 2,
    SIGNATURE_SUBGRAPH = 4,

    TENSOR_MAP_NAME = 0,
    TENSOR_MAP_TENSOR = 1,

    CODE_DEPRECATED_BUILTIN = 0,
    CODE_CUSTOM = 1,
    CODE_VERSION = 2,
    CODE_BUILTIN = 3,

    SUBGRAPH_TENSORS = 0,
    SUBGRAPH_INPUTS = 1,
    SUBGRAPH_OUTPUTS = 2,
    SUBGRAPH_OPERATORS = 3,
    SUBGRAPH_NAME = 4,

    TENSOR_SHAPE = 0,
    TENSOR_TYPE = 1,
    TENSOR_BUFFER = 2,
    TENSOR_NAME = 3,
    TENSOR_QUANTISATION = 4,
    TENSOR_IS_VARIABLE = 5,
    TENSOR_SPARSITY = 6,
    TENSOR_SIGNATURE = 7,

    QUANTISATION_SCALE = 2,
    QUANTISATION_ZERO_POINT = 3,
    QUANTISATION_DETAILS_TYPE = 4,
    QUANTISATION_DIMENSION = 6,

    SPARSITY_ORDER = 0,
    SPARSITY_BLOCKS = 1,
    SPARSITY_LEVELS = 2,

    LEVEL_FORMAT = 0,
    LEVEL_EXTENT = 1,
    LEVEL_SEGMENTS_KIND = 2,
    LEVEL_INDICES_KIND = 4,

    BUFFER_DATA = 0,
    BUFFER_OFFSET = 1,
    BUFFER_SIZE = 2,

    OPERATOR_CODE_INDEX = 0,
    OPERATOR_INPUTS = 1,
    OPERATOR_OUTPUTS = 2,
    OPERATOR_OPTIONS_TYPE = 3,
    OPERATOR_OPTIONS = 4,
    OPERATOR_CUSTOM_OPTIONS = 5,
    OPERATOR_INTERMEDIATES = 8,
    OPERATOR_FAR_OPTIONS_OFFSET = 9,
    OPERATOR_FAR_OPTIONS_SIZE = 10,
    OPERATOR_SECOND_OPTIONS_TYPE = 11,
    OPERATOR_SECOND_OPTIONS = 12,
};

#endif
