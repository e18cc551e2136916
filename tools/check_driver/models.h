#ifndef HY_TOOLS_CHECK_DRIVER_MODELS_H
#define HY_TOOLS_CHECK_DRIVER_MODELS_H

#include "common/memory/arena.h"
#include "tools/check_driver/memory.h"
#include "tools/vectors/files.h"

/*
 * The models that a driver is tried with: small ones that are built in, and those of vector files.
 * Each is a valid test with at least one example.
 */
struct hy_model_list {
    uint32_t count;
    uint32_t built_in_count; /* they come first */
    const struct hy_vector **vectors;
    struct hy_vector_files files;
};

/* The built-in ones. */
const struct hy_vector *hy_tiny_models(uint32_t *count);

/* Takes a zeroed list. HY_BAD_DATA: a folder or file cannot be read. */
HY_MUST_CHECK enum hy_code hy_model_list_make(const char *const *folders, uint32_t folder_count,
                                              const char *filter, struct hy_model_list *out,
                                              struct hy_error *err);
void hy_model_list_finish(struct hy_model_list *list);

/* The lowest feature level that has all of a test's operations and operand types. */
uint32_t hy_vector_level(const struct hy_vector *vector);

/* ---- As a driver sees them ------------------------------------------------------------------- */

/* A test as a model view, with memory of its own. All of it may be changed by who made it. */
struct hy_draft {
    struct hy_arena arena;
    struct hy_memory constants; /* the one pool */
    struct hy_pool pool;
    struct hy_model model;
    struct hy_subgraph *graphs;      /* the main one, then the referenced ones */
    struct hy_operand *operands;     /* of the main graph */
    struct hy_operation *operations; /* of the main graph */
};

/*
 * `constants`: HY_POOL_* for all tensors that are constants; 0 leaves them where the test has them,
 * those by reference in memory of kind MMAP_FD. Takes a zeroed draft; finish it in any case.
 */
HY_MUST_CHECK enum hy_code hy_draft_make(const struct hy_vector *vector, uint32_t constants,
                                         struct hy_draft *out, struct hy_error *err);
void hy_draft_finish(struct hy_draft *draft);

/* Makes nonsense of the view, as a caller may when prepare has returned; the pool stays. */
void hy_draft_spoil(struct hy_draft *draft);

#endif
