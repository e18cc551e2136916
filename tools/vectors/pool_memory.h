#ifndef HY_TOOLS_VECTORS_POOL_MEMORY_H
#define HY_TOOLS_VECTORS_POOL_MEMORY_H

#include <android/NeuralNetworks.h>

#include "tools/vectors/vector.h"

/* The arguments of a test in memory objects of one kind, one object each. Constants stay where they
 * are. */

enum hy_pool_kind {
    HY_IN_MMAP_FD,
    HY_IN_HARDWARE_BUFFER_BLOB,
};

/* "mmap_fd", "hardware_buffer_blob". False: there is no such kind. */
bool hy_pool_kind_parse(const char *name, enum hy_pool_kind *ret);

struct hy_vector_pool;
struct hy_vector_pool_memory {
    const struct hy_vector_model *model;
    struct hy_vector_pool *pools; /* inputs, outputs */
};

/* Makes the memory, with the inputs in it, and sets all arguments of the execution. Takes a zeroed
 * struct; hy_vector_pool_memory_finish it in any case, after the execution. */
HY_MUST_CHECK enum hy_code hy_vector_pool_memory_set(struct hy_vector_pool_memory *memory,
                                                     enum hy_pool_kind kind,
                                                     const struct hy_vector_model *model,
                                                     const struct hy_vector_example *example,
                                                     ANeuralNetworksExecution *execution,
                                                     struct hy_error *err);

/* Copies outputs into buffers of their lengths, and forgets them where they were: other bytes are
 * there before the next run. */
HY_MUST_CHECK enum hy_code hy_vector_pool_memory_fetch(const struct hy_vector_pool_memory *memory,
                                                       const struct hy_vector_example *example,
                                                       void *const *outputs, struct hy_error *err);
void hy_vector_pool_memory_finish(struct hy_vector_pool_memory *memory);

#endif
