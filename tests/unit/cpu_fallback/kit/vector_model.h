#ifndef HY_TESTS_UNIT_CPU_FALLBACK_KIT_VECTOR_MODEL_H
#define HY_TESTS_UNIT_CPU_FALLBACK_KIT_VECTOR_MODEL_H

#include <jansson.h>
#include <stdbool.h>

#include "tests/kit/model_builder.h"

/* Conformance vectors as driver models. */

/* Converts a flat JSON array to elements of an operand type: *length bytes, freed by the caller. */
void *hy_vector_values(const json_t *array, int32_t type, uint64_t *length);

/* The type and shape of a JSON operand. */
struct hy_builder_type hy_vector_type(const json_t *operand);

/*
 * Adds the main model of a test. With `dynamic` the outputs have no extents. Returns false if the
 * model has references to other models, as the builder does not support references.
 */
bool hy_vector_build(const json_t *test, bool dynamic, struct hy_builder *builder);

/*
 * Compares computed and expected elements with the tolerances of the vectors' README. Returns the
 * index of the first different element and stores both values, or returns -1.
 */
int64_t hy_vector_compare(const json_t *expected, int32_t type, bool relaxed, const void *data,
                          double *actual_value, double *expected_value);

#endif
