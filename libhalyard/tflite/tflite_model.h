#ifndef HY_LIBHALYARD_TFLITE_TFLITE_MODEL_H
#define HY_LIBHALYARD_TFLITE_TFLITE_MODEL_H

#include <stddef.h>

#include "common/error.h"
#include "libhalyard/graph/sparsity.h"
#include "libhalyard/tflite/tflite_options.h"
#include "libhalyard/tflite/tflite_types.h"

/*
 * A `.tflite` model as a plain struct, checked once, at this border.
 *
 * What holds of every model that hy_tflite_open returned:
 *  - every index is in range, every pointer is valid for its count, every dimension is >= 0;
 *  - a constant has exactly the bytes that its type and shape need;
 *  - scales are finite and not negative, as many as zero points, one or one per quantised slice;
 *  - a tensor has one source at most: it is constant, an input of its sub-graph, or the output of
 *    one operator;
 *  - names have no control characters ('?' stands for each), so they may be printed.
 * What does not: that the operators make sense (inputs may be too few, shapes may disagree) and
 * that sub-graphs do not call each other in circles.
 *
 * All of it is memory of the model, but for `data`: constants stay where they are, in the caller's
 * bytes, which may be aligned to 4 only and must outlive the model.
 */

/* How real numbers are stored: real = scale * (stored - zero_point). */
struct hy_tflite_quantisation {
    uint32_t count; /* 0: not quantised; 1: one scale for all; else one per slice of `dimension` */
    uint32_t dimension;
    const float *scales;
    const int32_t *zero_points;
    float scale;        /* where there is one: `scales` */
    int32_t zero_point; /* likewise */
    bool custom;        /* the file has a scheme beyond scales and zero points, which is not read */
};

enum { HY_TFLITE_FEW_DIMS = 4 };

struct hy_tflite_tensor {
    const char *name; /* never NULL */
    enum hy_tflite_type type;
    uint32_t rank;
    const int32_t *dims;
    int32_t few_dims[HY_TFLITE_FEW_DIMS]; /* where there are no more: `dims` */
    const int32_t *signature; /* dims with -1 where unknown until run time; NULL: all are known */
    uint64_t bytes;           /* what `dims` need; 0 for types without a fixed size */
    const void *data;         /* constant, `data_bytes` of it; NULL: computed at run time */
    uint64_t data_bytes;
    struct hy_tflite_quantisation quantisation;
    bool is_variable;                   /* keeps its contents from one run to the next */
    const struct hy_sparsity *sparsity; /* NULL: dense; else `data` has what is stored alone */
};

struct hy_tflite_operator {
    enum hy_tflite_op code;
    uint32_t version;
    const char *custom_name;      /* NULL unless code is CUSTOM */
    struct hy_tflite_ints inputs; /* tensor indices; -1: an optional input is left out */
    struct hy_tflite_ints outputs;
    struct hy_tflite_ints intermediates; /* tensors of partial results; -1: not used */
    struct hy_tflite_options options;
    const void *custom_options; /* of a CUSTOM operator, in a form of its own; any alignment */
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

/* An entry of the model under a name: a sub-graph, with names of its inputs and outputs. Inputs and
 * outputs that the file leaves out have the names of their tensors. */
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
    uint32_t subgraph_count; /* 1 at least; the first is the entry */
    const struct hy_tflite_subgraph *subgraphs;
    uint32_t signature_count; /* 1 at least: a file without any has the first sub-graph as "" */
    const struct hy_tflite_signature *signatures;
};

/* What a file may ask of us. Exceeding one is an error that names it. */
struct hy_tflite_limits {
    uint64_t file_bytes;
    uint64_t tensor_bytes; /* of one tensor */
    uint32_t subgraphs;
    uint32_t tensors;   /* over all sub-graphs */
    uint32_t operators; /* over all sub-graphs */
    uint32_t operator_codes;
    uint32_t rank;

    /*
     * Memory for the model: so many bytes per byte of file (plus 64 KiB). This is also what keeps
     * time linear: in a FlatBuffer a million references can name the same large object.
     */
    uint32_t memory_per_byte;

    /* Bytes of constants that are made of the file's, and of tensors: graph/budget.h; 0: what the
     * machine or the control group of the process has. */
    uint64_t memory;
    uint32_t operations; /* of NNAPI, after lowering; 0: 1,000,000 */
};

extern const struct hy_tflite_limits hy_tflite_default_limits;

/*
 * Reads the model in `bytes`. `limits` may be NULL for the defaults. On success the caller closes
 * `*out`, and only then lets go of `bytes`. Errors: HY_BAD_DATA with the object, its index and the
 * numbers ("subgraph 0: tensor 7 (conv1/weights): ..."), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_tflite_open(const void *bytes, size_t length,
                                          const struct hy_tflite_limits *limits,
                                          struct hy_tflite_model **out, struct hy_error *err);

/* One more who closes the model. From any thread. */
struct hy_tflite_model *hy_tflite_retain(struct hy_tflite_model *model);

/* The last to close the model frees it. Takes NULL. */
void hy_tflite_close(struct hy_tflite_model *model);

/* The name of a tensor among the inputs or outputs of a signature; NULL where there is none. */
const char *hy_tflite_signature_name(const struct hy_tflite_named_tensor *tensors, uint32_t count,
                                     uint32_t tensor);

#endif
