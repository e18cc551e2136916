#ifndef HY_TOOLS_VECTORS_CACHED_H
#define HY_TOOLS_VECTORS_CACHED_H

#include <android/NeuralNetworks.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

/* Compilations of one test with a cache directory, and the cache result of the last compilation. */
struct hy_vector_caching {
    const char *dir;
    const char *spec; /* spec of the test's file */
    const char *name; /* name of the test */
    bool is_compiled; /* the test can be compiled, and the following members describe its plan */
    uint32_t hits;    /* steps from the cache */
    uint32_t misses;  /* steps not from the cache, on devices that cache */
    char reason[256]; /* the reason for the first miss */
};

/* Sets the cache before the compilation is finished. Tests have different tokens. */
HY_MUST_CHECK enum hy_code hy_vector_caching_ask(const struct hy_vector_caching *caching,
                                                 ANeuralNetworksCompilation *compilation,
                                                 struct hy_error *err);

/* Reads the cache result of a finished compilation. */
HY_MUST_CHECK enum hy_code hy_vector_caching_note(struct hy_vector_caching *caching,
                                                  const ANeuralNetworksCompilation *compilation,
                                                  struct hy_error *err);

#endif
