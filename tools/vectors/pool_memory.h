#ifndef HY_TOOLS_VECTORS_POOL_MEMORY_H
#define HY_TOOLS_VECTORS_POOL_MEMORY_H

#include <android/NeuralNetworks.h>

#include "tools/vectors/vector.h"

/* The arguments of a test in memory objects of one kind, one object each. Constants stay
 * unchanged. */

enum hy_pool_kind {
    HY_IN_MMAP_FD,
    HY_IN_HARDWARE_BUFFER_BLOB,
};

/* "mmap_fd", "hardware_buffer_blob". False: unknown name. */
bool hy_pool_kind_parse(const char *name, enum hy_pool_kind *ret);

struct hy_vector_pool;
struct hy_vector_pool_memory {
    const struct hy_vector_model *model;
    struct hy_vector_pool *pools; /* inputs, outputs */
};

/* Makes the memory, with the inputs in it, and sets all arguments of the execution. Fills a zeroed
 * struct; the caller must call hy_vector_pool_memory_finish after the execution, also after a
 * failure. */
HY_MUST_CHECK enum hy_code hy_vector_pool_memory_set(struct hy_vector_pool_memory *memory,
                                                     enum hy_pool_kind kind,
                                                     const struct hy_vector_model *model,
                                                     const struct hy_vector_example *example,
                                                     ANeuralNetworksExecution *execution,
                                                     struct hy_error *err);

/* Copies outputs into buffers of their lengths, and overwrites the outputs in the pools: a next run
 * cannot succeed with old bytes. */
HY_MUST_CHECK enum hy_code hy_vector_pool_memory_fetch(const struct hy_vector_pool_memory *memory,
                                                       const struct hy_vector_example *example,
                                                       void *const *outputs, struct hy_error *err);
void hy_vector_pool_memory_finish(struct hy_vector_pool_memory *memory);

#endif
