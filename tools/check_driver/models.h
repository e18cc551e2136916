#ifndef HY_TOOLS_CHECK_DRIVER_MODELS_H
#define HY_TOOLS_CHECK_DRIVER_MODELS_H

#include "common/memory/arena.h"
#include "tools/check_driver/guarded_memory.h"
#include "tools/vectors/files.h"

/*
 * The models for tests of a driver: small built-in models, and models of vector files. Each is a
 * valid test with at least one example.
 */
struct hy_model_list {
    uint32_t count;
    uint32_t built_in_count; /* the built-in models come first */
    const struct hy_vector **vectors;
    struct hy_vector_files files;
};

/* The built-in models. */
const struct hy_vector *hy_tiny_models(uint32_t *count);

/* Fills a zeroed list. HY_BAD_DATA: a directory or file cannot be read. */
HY_MUST_CHECK enum hy_code hy_model_list_make(const char *const *dirs, uint32_t dir_count,
                                              const char *filter, struct hy_model_list *out,
                                              struct hy_error *err);
void hy_model_list_finish(struct hy_model_list *list);

/* The lowest feature level with all of a test's operations and operand types. */
uint32_t hy_vector_level(const struct hy_vector *vector);

/* ---- Models for a driver --------------------------------------------------------------------- */

/* A test as a model view, with separate memory. The owner may change all of it. */
struct hy_model_view {
    struct hy_arena arena;
    struct hy_memory constants; /* the only pool */
    struct hy_pool pool;
    struct hy_model model;
    struct hy_subgraph *graphs;      /* the main graph, followed by the referenced graphs */
    struct hy_operand *operands;     /* of the main graph */
    struct hy_operation *operations; /* of the main graph */
};

/*
 * `constants`: the HY_POOL_* kind of all constant tensors; 0 leaves constants as in the test, with
 * constants by reference in memory of kind MMAP_FD. Fills a zeroed draft, which the caller must
 * finish also after a failure.
 */
HY_MUST_CHECK enum hy_code hy_model_view_make(const struct hy_vector *vector, uint32_t constants,
                                              struct hy_model_view *out, struct hy_error *err);
void hy_model_view_finish(struct hy_model_view *model_view);

/* Overwrites the view with invalid values, as a caller may do after prepare has returned; the pool
 * stays. */
void hy_model_view_corrupt(struct hy_model_view *model_view);

#endif
