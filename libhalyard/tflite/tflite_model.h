#ifndef HY_LIBHALYARD_TFLITE_TFLITE_MODEL_H
#define HY_LIBHALYARD_TFLITE_TFLITE_MODEL_H

#include <stddef.h>

#include "common/error.h"
#include "libhalyard/graph/sparsity.h"
#include "libhalyard/tflite/tflite_options.h"
#include "libhalyard/tflite/tflite_types.h"

/*
 * A `.tflite` model as a plain struct, checked once by hy_tflite_open.
 *
 * Invariants of every model that hy_tflite_open has returned:
 *  - every index is in range, every pointer is valid for its count, every dimension is >= 0;
 *  - a constant has exactly the bytes of its type and shape;
 *  - scales are finite and not negative, as many as zero points: one, or one per quantised slice;
 *  - a tensor has at most one source: a constant, an input of its subgraph, or the output of one
 *    operator;
 *  - names have no control characters ('?' stands for each) and are printable.
 * Not guaranteed: valid operators (inputs may be too few, shapes may disagree), and subgraphs
 * without cyclic calls.
 *
 * All pointers but `data` refer to memory of the model. Constants are not copied: `data` refers to
 * the caller's bytes, which may be aligned to only 4 bytes and must outlive the model.
 */

/* The quantisation of real numbers: real = scale * (stored - zero_point). */
struct hy_tflite_quantisation {
    /* 0: not quantised; 1: one scale for all elements; else one per slice of `dimension` */
    uint32_t count;
    uint32_t dimension;
    const float *scales;
    const int32_t *zero_points;
    float scale;        /* storage of `scales` for a single scale */
    int32_t zero_point; /* storage of `zero_points` for a single zero point */
    /* the file has another scheme than scales and zero points, which is not read */
    bool custom;
};

enum { HY_TFLITE_FEW_DIMS = 4 };

struct hy_tflite_tensor {
    const char *name; /* never NULL */
    enum hy_tflite_type type;
    uint32_t rank;
    const int32_t *dims;
    /* storage of `dims` for up to HY_TFLITE_FEW_DIMS dimensions */
    int32_t few_dims[HY_TFLITE_FEW_DIMS];
    const int32_t *signature; /* dims with -1 for each open dimension; NULL: all are known */
    uint64_t bytes;           /* size of a tensor of `dims`; 0 for types without a fixed size */
    const void *data;         /* a constant of `data_bytes` bytes; NULL: computed at run time */
    uint64_t data_bytes;
    struct hy_tflite_quantisation quantisation;
    bool is_variable; /* the contents persist from one run to the next */
    /* NULL: dense; else `data` has the stored elements only */
    const struct hy_sparsity *sparsity;
};

struct hy_tflite_operator {
    enum hy_tflite_op code;
    uint32_t version;
    const char *custom_name;      /* NULL unless code is CUSTOM */
    struct hy_tflite_ints inputs; /* tensor indices; -1: an omitted optional input */
    struct hy_tflite_ints outputs;
    struct hy_tflite_ints intermediates; /* tensors of partial results; -1: not used */
    struct hy_tflite_options options;
    /* options of a CUSTOM operator, in the operator's own format; any alignment */
    const void *custom_options;
    uint64_t custom_bytes;
};

struct hy_tflite_subgraph {
    const char *name; /* never NULL */
    uint32_t tensor_count;
    const struct hy_tflite_tensor *tensors;
    uint32_t operator_count;
    const struct hy_tflite_operator *operators; /* in execution order */
    struct hy_tflite_ints inputs;
    struct hy_tflite_ints outputs;
};

struct hy_tflite_named_tensor {
    const char *name; /* never NULL */
    uint32_t tensor;
};

/* An entry point of the model under a name: a subgraph, with names of its inputs and outputs.
 * Inputs and outputs without a name in the file have the names of their tensors. */
struct hy_tflite_signature {
    const char *key; /* never NULL */
    uint32_t subgraph;
    uint32_t input_count, output_count;
    const struct hy_tflite_named_tensor *inputs; /* in the order of the file */
    const struct hy_tflite_named_tensor *outputs;
};

struct hy_tflite_model {
    uint32_t version;
    const char *description; /* never NULL */
    uint32_t subgraph_count; /* at least 1; the first is the entry point */
    const struct hy_tflite_subgraph *subgraphs;
    /* at least 1: a file without signatures has the first subgraph as "" */
    uint32_t signature_count;
    const struct hy_tflite_signature *signatures;
};

/* Limits of a file. The error text names the exceeded limit. */
struct hy_tflite_limits {
    uint64_t file_bytes;
    uint64_t tensor_bytes; /* bytes of one tensor */
    uint32_t subgraphs;
    uint32_t tensors;   /* over all subgraphs */
    uint32_t operators; /* over all subgraphs */
    uint32_t operator_codes;
    uint32_t rank;

    /*
     * The limit of the model's memory, in bytes per byte of the file (plus 64 KiB). The limit also
     * keeps the time linear: in a FlatBuffer a million references can name the same large object.
     */
    uint32_t memory_per_byte;

    /* Bytes of constants made from the file's constants, and of tensors: graph/budget.h; 0: the
     * memory of the machine, or the limit of the process's control group. */
    uint64_t memory;
    uint32_t operations; /* NNAPI operations after lowering; 0: 1,000,000 */
};

extern const struct hy_tflite_limits hy_tflite_default_limits;

/*
 * Reads the model in `bytes`. `limits` may be NULL for the defaults. On success the caller closes
 * `*out`, and frees `bytes` after closing. Errors: HY_BAD_DATA with the object, its index and the
 * numbers ("subgraph 0: tensor 7 (conv1/weights): ..."), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_tflite_open(const void *bytes, size_t length,
                                          const struct hy_tflite_limits *limits,
                                          struct hy_tflite_model **out, struct hy_error *err);

/* Adds a reference, released by hy_tflite_close. Any thread may call. */
struct hy_tflite_model *hy_tflite_retain(struct hy_tflite_model *model);

/* Releases a reference; the last release frees the model. NULL is ignored. */
void hy_tflite_close(struct hy_tflite_model *model);

/* The name of a tensor among the inputs or outputs of a signature; NULL for a tensor without a
 * name. */
const char *hy_tflite_signature_name(const struct hy_tflite_named_tensor *tensors, uint32_t count,
                                     uint32_t tensor);

#endif
