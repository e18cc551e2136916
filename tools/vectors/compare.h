#ifndef HY_TOOLS_VECTORS_COMPARE_H
#define HY_TOOLS_VECTORS_COMPARE_H

#include "tools/vectors/vector.h"

/* The comparison rules of the conformance format. HY_FAILED: the error text has the element's
 * index, its value and the expected value. */

/* True if float32 has the tolerance of float16: the test is relaxed, or has a float16 tensor. */
bool hy_vector_is_half_exact(const struct hy_vector *vector);

/* `actual` has as many bytes as `expected`. */
HY_MUST_CHECK enum hy_code hy_compare_values(int32_t type, bool half_exact,
                                             const struct hy_vector_value *expected,
                                             const void *actual, struct hy_error *err);

/*
 * RANDOM_MULTINOMIAL: compares the frequency of each class in `count` int32 samples with the
 * distribution of the logits of one batch.
 */
HY_MUST_CHECK enum hy_code hy_compare_multinomial(int32_t logits_type,
                                                  const struct hy_vector_value *logits,
                                                  double tolerance, uint32_t count,
                                                  const int32_t *samples, struct hy_error *err);

#endif
