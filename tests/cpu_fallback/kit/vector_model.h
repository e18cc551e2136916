#ifndef HY_TESTS_CPU_FALLBACK_KIT_VECTOR_MODEL_H
#define HY_TESTS_CPU_FALLBACK_KIT_VECTOR_MODEL_H

#include <jansson.h>
#include <stdbool.h>

#include "support/model_builder.h"

/* Conformance vectors as driver models. */

/* A flat JSON array as elements of an operand type: *length bytes, to be freed. */
void *hy_vector_values(const json_t *array, int32_t type, uint64_t *length);

/* The type and shape of a JSON operand. */
struct hy_builder_type hy_vector_type(const json_t *operand);

/*
 * Adds a test's main model. With `dynamic` the outputs have no extents. False when the model needs
 * what the builder has not (referenced models).
 */
bool hy_vector_build(const json_t *test, bool dynamic, struct hy_builder *builder);

/*
 * Compares computed elements with the expected ones, as the vectors' README says. Returns the index
 * of the first element that differs, or -1; fills both values.
 */
int64_t hy_vector_compare(const json_t *expected, int32_t type, bool relaxed, const void *data,
                          double *actual_value, double *expected_value);

#endif
