#ifndef HY_TESTS_RUNTIME_KIT_CACHED_ADD_H
#define HY_TESTS_RUNTIME_KIT_CACHED_ADD_H

#include <android/NeuralNetworks.h>
#include <halyard/halyard.h>
#include <stdbool.h>

/*
 * An app that compiles one ADD of two float32 tensors, with a cache or (NULL) without, and runs it,
 * through the public API alone. Nothing here records failures, so that any process may use it.
 */
struct cached_add {
    int code; /* of the compilation, else of the execution: ANEURALNETWORKS_* */
    bool is_right;
    int32_t outcome; /* HALYARD_CACHE_* */
    char reason[256];
    uint8_t token[32]; /* of the entry */
};

/* NULL: there is none. */
const ANeuralNetworksDevice *device_named(const char *name);

struct cached_add cached_add_run(const ANeuralNetworksDevice *const *devices, uint32_t count,
                                 const char *cache);

#endif
