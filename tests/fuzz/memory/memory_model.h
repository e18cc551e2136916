#ifndef HY_TESTS_FUZZ_MEMORY_MEMORY_MODEL_H
#define HY_TESTS_FUZZ_MEMORY_MEMORY_MODEL_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The rules of memory from descriptors, in small: what each call is to answer, and what memory
 * holds after it. Tensors are float vectors; compilations have one input and one output.
 */

#define MODEL_ROLES  4u
#define MODEL_EXTENT 8u /* at most */

enum model_place { MODEL_NPU, MODEL_GPU, MODEL_CPU, MODEL_SHARED };

#define MODEL_DEVICES ((uint32_t)MODEL_SHARED) /* that keep memory */

/* Which of a device's calls fail; GENERAL_FAILURE. Those of halyard-cpu never do. */
struct model_device {
    bool fails_create, fails_copy_from, fails_copy_to, fails_execute;
    bool wants_shared_sources;
};

struct model_compilation {
    uint32_t id;            /* never given twice */
    enum model_place place; /* SHARED: a device without memory of its own */
    bool has_devices;       /* the app has named them; else another stands in */
    bool is_chain;          /* see model_result */
    uint32_t extent;        /* of input and output; 0: open */
};

struct model_role {
    const struct model_compilation *compilation;
    uint32_t compilation_id;
    bool is_output;
};

struct model_memory {
    bool is_file;
    enum model_place place; /* not of files */
    uint32_t declared;      /* 0: open */
    bool is_initialised;
    uint32_t extent; /* of what it holds, or held last; 0: not known */
    float values[MODEL_EXTENT];
    struct model_role roles[MODEL_ROLES];
    uint32_t role_count;
};

float model_result(const struct model_compilation *compilation, float input);

/* Adds a role to a descriptor, which is memory that does not exist yet. */
enum hy_code model_add_role(struct model_memory *desc, const struct model_compilation *compilation,
                            bool is_output, uint32_t index, float frequency);
enum hy_code model_set_extent(struct model_memory *desc, uint32_t extent);

/* Makes memory of the descriptor: where, and whether. */
enum hy_code model_create(struct model_memory *desc, const struct model_device *devices);

enum hy_code model_copy(const struct model_memory *from, struct model_memory *to,
                        const struct model_device *devices);

/* An argument; `given`: the extent that the app says, 0: none. `*extent`: known in the end, or 0.
 */
enum hy_code model_set(const struct model_compilation *compilation,
                       const struct model_memory *memory, bool is_output, uint32_t given,
                       uint32_t *extent);

/* A run with arguments that were set; the extents are those of model_set. */
enum hy_code model_run(const struct model_compilation *compilation, const struct model_memory *in,
                       uint32_t in_extent, struct model_memory *out, uint32_t out_extent,
                       const struct model_device *devices);

#endif
