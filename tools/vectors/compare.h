#ifndef HY_TOOLS_VECTORS_COMPARE_H
#define HY_TOOLS_VECTORS_COMPARE_H

#include "tools/vectors/vector.h"

/* The comparison rules of the conformance format. HY_FAILED says which element, what it is and what
 * it should be. */

/* Does float32 get the tolerance of float16: is the test relaxed, or a float16 tensor in it? */
bool hy_vector_is_half_exact(const struct hy_vector *vector);

/* `actual` has as many bytes as `expected`. */
HY_MUST_CHECK enum hy_code hy_compare_values(int32_t type, bool half_exact,
                                             const struct hy_vector_value *expected,
                                             const void *actual, struct hy_error *err);

/*
 * RANDOM_MULTINOMIAL: how often each class came up in `count` int32 samples, against the
 * distribution that the logits of one batch mean.
 */
HY_MUST_CHECK enum hy_code hy_compare_multinomial(int32_t logits_type,
                                                  const struct hy_vector_value *logits,
                                                  double tolerance, uint32_t count,
                                                  const int32_t *samples, struct hy_error *err);

#endif
