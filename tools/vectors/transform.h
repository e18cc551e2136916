#ifndef HY_TOOLS_VECTORS_TRANSFORM_H
#define HY_TOOLS_VECTORS_TRANSFORM_H

#include "tools/vectors/skip.h"
#include "tools/vectors/vector.h"

/* Further passes of the format over the same tests: each changes the model or its values, not the
 * expected results. Both passes may be combined. */
struct hy_vector_passes {
    bool dynamic;   /* the model declares only the rank of its outputs, not their dimensions */
    bool is_signed; /* TENSOR_QUANT8_ASYMM_SIGNED, minus 128, instead of TENSOR_QUANT8_ASYMM */
};

/* The rule that excludes a test from the passes, or HY_SKIP_NONE. */
enum hy_skip_rule hy_vector_transform_rule(const struct hy_vector *vector,
                                           const struct hy_vector_passes *passes);

/*
 * Transforms a test that no rule excludes. `out` shares unchanged parts with `vector`; the rest is
 * memory of the arena. HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_vector_transform(const struct hy_vector *vector,
                                               const struct hy_vector_passes *passes,
                                               struct hy_arena *arena, struct hy_vector *out,
                                               struct hy_error *err);

#endif
