#ifndef HY_TOOLS_VECTORS_BUILD_H
#define HY_TOOLS_VECTORS_BUILD_H

#include <android/NeuralNetworks.h>

#include "tools/device_selection.h"
#include "tools/vectors/cached.h"
#include "tools/vectors/vector.h"

/* The finished models of a test, in the order of its `models`. */
struct hy_vector_build {
    uint32_t count;
    ANeuralNetworksModel **models; /* NULL for a model that was not built */
    bool *finished;
    /* memory of the CONSTANT_REFERENCE values of all models, or NULL */
    ANeuralNetworksMemory *memory;
};

/*
 * Builds the main model and its referenced models with the API. Fills a zeroed struct; the caller
 * must call hy_vector_build_finish also after a failure. After a failure the error text is the text
 * of the failed call, and models finished before stay valid. `vector` must outlive the build.
 */
HY_MUST_CHECK enum hy_code hy_vector_build_make(const struct hy_vector *vector,
                                                struct hy_vector_build *out, struct hy_error *err);

/*
 * A finished compilation of the main model. The caller frees `*out` also after a failure.
 * `caching`: compiles with a cache, and records the result; NULL: without a cache.
 */
HY_MUST_CHECK enum hy_code hy_vector_build_compile(const struct hy_vector_build *build,
                                                   const struct hy_device_selection *devices,
                                                   struct hy_vector_caching *caching,
                                                   ANeuralNetworksCompilation **out,
                                                   struct hy_error *err);

void hy_vector_build_finish(struct hy_vector_build *build);

#endif
