#ifndef HY_TESTS_UNIT_RUNTIME_KIT_CACHED_ADD_H
#define HY_TESTS_UNIT_RUNTIME_KIT_CACHED_ADD_H

#include <android/NeuralNetworks.h>
#include <halyard/halyard.h>
#include <stdbool.h>

/*
 * An app: compiles an ADD of two float32 tensors, with or (NULL) without a cache, and runs the
 * model. Uses only the public API. Records no test failures, so any process may call the function.
 */
struct cached_add {
    int code; /* of the compilation, or of the execution: ANEURALNETWORKS_* */
    bool is_right;
    int32_t outcome; /* HALYARD_CACHE_* */
    char reason[256];
    uint8_t token[32]; /* of the entry */
};

/* Returns NULL if not found. */
const ANeuralNetworksDevice *device_named(const char *name);

struct cached_add cached_add_run(const ANeuralNetworksDevice *const *devices, uint32_t count,
                                 const char *cache);

#endif
