#ifndef HY_TOOLS_VECTORS_CACHED_H
#define HY_TOOLS_VECTORS_CACHED_H

#include <android/NeuralNetworks.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

/* Compilations of one test in a cache folder, and what the last of them made of it. */
struct hy_vector_caching {
    const char *folder;
    const char *spec; /* of the test's file */
    const char *name; /* of the test */
    bool is_compiled; /* it may be, and what follows is of the plan */
    uint32_t hits;    /* steps that came from the cache */
    uint32_t misses;  /* steps that did not, of devices that cache */
    char reason[256]; /* why the first of those did not */
};

/* Asks for the cache, before the compilation is finished. Tests differ in their tokens. */
HY_MUST_CHECK enum hy_code hy_vector_caching_ask(const struct hy_vector_caching *caching,
                                                 ANeuralNetworksCompilation *compilation,
                                                 struct hy_error *err);

/* Looks what became of it, in a finished compilation. */
HY_MUST_CHECK enum hy_code hy_vector_caching_note(struct hy_vector_caching *caching,
                                                  const ANeuralNetworksCompilation *compilation,
                                                  struct hy_error *err);

#endif
