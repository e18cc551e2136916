#ifndef HY_TOOLS_VECTORS_VECTOR_H
#define HY_TOOLS_VECTORS_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/memory/arena.h"

/*
 * Test vectors of the conformance format, as checked structs: every index is in range, every value
 * has exactly the bytes of its elements. All memory belongs to the file's arena.
 */

/* Elements as in a buffer of the operand's type. */
struct hy_vector_value {
    bool omitted; /* null in the file */
    uint32_t count;
    size_t length;
    const void *bytes; /* never NULL */
};

enum hy_vector_lifetime {
    HY_VECTOR_INPUT,
    HY_VECTOR_OUTPUT,
    HY_VECTOR_TEMPORARY,
    HY_VECTOR_CONSTANT_COPY,
    HY_VECTOR_CONSTANT_REFERENCE,
    HY_VECTOR_NO_VALUE,
    HY_VECTOR_SUBGRAPH,
};

struct hy_vector_operand {
    int32_t type; /* ANEURALNETWORKS_ code */
    enum hy_vector_lifetime lifetime;
    uint32_t rank;
    const uint32_t *dims; /* for an output: the expected dimensions */
    /* the dimensions in the model; differ from dims only after a transformation */
    const uint32_t *declared_dims;
    float scale;
    int32_t zero_point;
    uint32_t channel_dim;
    uint32_t channel_count; /* 0: no scales per channel */
    const float *channel_scales;
    bool ignored;
    struct hy_vector_value value; /* of constants */
    uint32_t submodel;            /* of SUBGRAPH: index into models, never 0 */
};

struct hy_vector_indices {
    uint32_t count;
    const uint32_t *items;
};

struct hy_vector_operation {
    int32_t type; /* enum hy_op */
    struct hy_vector_indices inputs;
    struct hy_vector_indices outputs;
};

struct hy_vector_model {
    uint32_t operand_count;
    uint32_t operation_count;
    const struct hy_vector_operand *operands;
    const struct hy_vector_operation *operations;
    struct hy_vector_indices inputs;
    struct hy_vector_indices outputs;
};

/* One value per input and output of the main model. */
struct hy_vector_example {
    const struct hy_vector_value *inputs;
    const struct hy_vector_value *outputs;
};

struct hy_vector {
    const char *name;
    bool is_relaxed;
    bool expect_failure;
    double multinomial_tolerance; /* 0: an ordinary test */
    uint32_t model_count;         /* the main model and its referenced models */
    const struct hy_vector_model *models;
    uint32_t example_count;
    const struct hy_vector_example *examples;
};

struct hy_vector_file {
    struct hy_arena arena;
    const char *spec;
    uint32_t count;
    const struct hy_vector *vectors;
};

/*
 * Reads a file into a zeroed struct; the caller must call hy_vector_file_finish also after a
 * failure. HY_BAD_DATA: the error text names the path, the test and the position.
 */
HY_MUST_CHECK enum hy_code hy_vector_file_load(const char *path, struct hy_vector_file *out,
                                               struct hy_error *err);
void hy_vector_file_finish(struct hy_vector_file *file);

#endif
