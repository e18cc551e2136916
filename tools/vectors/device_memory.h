#ifndef HY_TOOLS_VECTORS_DEVICE_MEMORY_H
#define HY_TOOLS_VECTORS_DEVICE_MEMORY_H

#include <android/NeuralNetworks.h>

#include "tools/vectors/vector.h"

/*
 * The arguments of a test in memory made from descriptors for the test's inputs and outputs, one
 * object each; values are copied to the memory before a run and from the memory after it. The
 * runtime decides between device memory and shared memory.
 */
struct hy_vector_device_memory {
    const struct hy_vector_model *model;
    ANeuralNetworksMemory **objects; /* inputs, outputs; NULL: omitted */
};

/*
 * Makes memory for a finished compilation, copies the inputs to it and sets all arguments of the
 * execution. Fills a zeroed struct; the caller must call hy_vector_device_memory_finish after the
 * execution, also after a failure.
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
