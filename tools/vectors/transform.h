#ifndef HY_TOOLS_VECTORS_TRANSFORM_H
#define HY_TOOLS_VECTORS_TRANSFORM_H

#include "tools/vectors/skip.h"
#include "tools/vectors/vector.h"

/* Further passes that the format defines over the same tests: each changes the model or its values,
 * not what has to come out. Both may be made at once. */
struct hy_vector_passes {
    bool dynamic;   /* the model does not tell its outputs' dimensions, only their rank */
    bool is_signed; /* TENSOR_QUANT8_ASYMM_SIGNED, less 128, for TENSOR_QUANT8_ASYMM */
};

/* The rule that keeps a test out of the passes, or HY_SKIP_NONE. */
enum hy_skip_rule hy_vector_transform_rule(const struct hy_vector *vector,
                                           const struct hy_vector_passes *passes);

/*
 * The test as the passes make it, for one that no rule keeps out. `out` shares with `vector` what
 * stays the same; the rest is memory of the arena. HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_vector_transform(const struct hy_vector *vector,
                                               const struct hy_vector_passes *passes,
                                               struct hy_arena *arena, struct hy_vector *out,
                                               struct hy_error *err);

#endif
