#ifndef HY_TOOLS_VECTORS_DEVICE_MEMORY_H
#define HY_TOOLS_VECTORS_DEVICE_MEMORY_H

#include <android/NeuralNetworks.h>

#include "tools/vectors/vector.h"

/*
 * The arguments of a test in memory that is made for its inputs and outputs, one object each, by
 * descriptors; values are copied in before and out afterwards. Whether it is memory of a device or
 * shared memory is for those who make it.
 */
struct hy_vector_device_memory {
    const struct hy_vector_model *model;
    ANeuralNetworksMemory **objects; /* inputs, outputs; NULL: it is omitted */
};

/*
 * Makes memory for a finished compilation, copies inputs there and sets all arguments of the
 * execution. Takes a zeroed struct; hy_vector_device_memory_finish it in any case, after the
 * execution.
 */
HY_MUST_CHECK enum hy_code hy_vector_device_memory_set(struct hy_vector_device_memory *memory,
                                                       const struct hy_vector_model *model,
                                                       const struct hy_vector_example *example,
                                                       ANeuralNetworksCompilation *compilation,
                                                       ANeuralNetworksExecution *execution,
                                                       struct hy_error *err);

/* Copies outputs into buffers of their lengths. */
HY_MUST_CHECK enum hy_code
hy_vector_device_memory_fetch(const struct hy_vector_device_memory *memory,
                              const struct hy_vector_example *example, void *const *outputs,
                              struct hy_error *err);
void hy_vector_device_memory_finish(struct hy_vector_device_memory *memory);

#endif
