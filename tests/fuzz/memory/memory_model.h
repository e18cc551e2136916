#ifndef HY_TESTS_FUZZ_MEMORY_MEMORY_MODEL_H
#define HY_TESTS_FUZZ_MEMORY_MEMORY_MODEL_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A small model of the rules for memory from descriptors. Predicts the result of each call and the
 * contents of memory afterwards. Tensors are float vectors; compilations have one input and one
 * output.
 */

#define MODEL_ROLES  4u
#define MODEL_EXTENT 8u /* maximum */

enum model_target { MODEL_NPU, MODEL_GPU, MODEL_CPU, MODEL_SHARED };

#define MODEL_DEVICES ((uint32_t)MODEL_SHARED) /* number of devices with their own memory */

/* Failing calls of a device, which return GENERAL_FAILURE. Calls of halyard-cpu never fail. */
struct model_device {
    bool fails_create, fails_copy_from, fails_copy_to, fails_execute;
    bool wants_shared_sources;
};

struct model_compilation {
    uint32_t id;              /* unique */
    enum model_target target; /* SHARED: a device without its own memory */
    bool has_devices; /* devices named by the app; without, failures use a fallback device */
    bool is_chain;    /* see model_result */
    uint32_t extent;  /* of input and output; 0: unknown */
};

struct model_role {
    const struct model_compilation *compilation;
    uint32_t compilation_id;
    bool is_output;
};

struct model_memory {
    bool is_file;
    enum model_target target; /* unused for files */
    uint32_t declared;        /* 0: unknown */
    bool is_initialised;
    uint32_t extent; /* of the current or last contents; 0: unknown */
    float values[MODEL_EXTENT];
    struct model_role roles[MODEL_ROLES];
    uint32_t role_count;
};

float model_result(const struct model_compilation *compilation, float input);

/* Adds a role to a descriptor. A descriptor is represented as memory before its creation. */
enum hy_code model_add_role(struct model_memory *desc, const struct model_compilation *compilation,
                            bool is_output, uint32_t index, float frequency);
enum hy_code model_set_extent(struct model_memory *desc, uint32_t extent);

/* Predicts the creation of memory from the descriptor: success and location. */
enum hy_code model_create(struct model_memory *desc, const struct model_device *devices);

enum hy_code model_copy(const struct model_memory *from, struct model_memory *to,
                        const struct model_device *devices);

/* Predicts setting an argument. `given` is the extent from the app, 0 for none. `*extent` receives
 * the resulting extent, or 0 if still unknown. */
enum hy_code model_set(const struct model_compilation *compilation,
                       const struct model_memory *memory, bool is_output, uint32_t given,
                       uint32_t *extent);

/* Predicts a run. The extents are the results of model_set. */
enum hy_code model_run(const struct model_compilation *compilation, const struct model_memory *in,
                       uint32_t in_extent, struct model_memory *out, uint32_t out_extent,
                       const struct model_device *devices);

#endif
