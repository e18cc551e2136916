#ifndef HY_TOOLS_VECTORS_BUILD_H
#define HY_TOOLS_VECTORS_BUILD_H

#include <android/NeuralNetworks.h>

#include "tools/device_choice.h"
#include "tools/vectors/cached.h"
#include "tools/vectors/vector.h"

/* The finished models of a test, in the order of its `models`. */
struct hy_vector_build {
    uint32_t count;
    ANeuralNetworksModel **models; /* NULL where not built */
    bool *finished;
    ANeuralNetworksMemory *memory; /* of the CONSTANT_REFERENCE values of all models, or NULL */
};

/*
 * Builds the main model and all it refers to through the API. Takes a zeroed struct;
 * hy_vector_build_finish it in any case. On failure the words are those of the call that refused,
 * and what was finished before it can be looked at. `vector` must outlive the build.
 */
HY_MUST_CHECK enum hy_code hy_vector_build_make(const struct hy_vector *vector,
                                                struct hy_vector_build *out, struct hy_error *err);

/*
 * A finished compilation of the main model. Whatever `*out` becomes, the caller frees. `caching`:
 * with a cache, and tells what became of that; NULL: without.
 */
HY_MUST_CHECK enum hy_code hy_vector_build_compile(const struct hy_vector_build *build,
                                                   const struct hy_device_choice *devices,
                                                   struct hy_vector_caching *caching,
                                                   ANeuralNetworksCompilation **out,
                                                   struct hy_error *err);

void hy_vector_build_finish(struct hy_vector_build *build);

#endif
