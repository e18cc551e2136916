#ifndef HY_TESTS_WIRE_VECTOR_MODEL_H
#define HY_TESTS_WIRE_VECTOR_MODEL_H

#include "halyard/driver.h"
#include "samples.h"
#include "tools/vectors/vector.h"

/* The model of a test vector as seen by drivers. Copied constants lie in the values, referenced
 * constants in a pool with the id 1. The memory belongs to the samples and the vector. */
const struct hy_model *hy_wire_vector_model(struct hy_wire_samples *samples,
                                            const struct hy_vector *vector);

#endif
