#ifndef HY_TESTS_WIRE_VECTOR_MODEL_H
#define HY_TESTS_WIRE_VECTOR_MODEL_H

#include "halyard/driver.h"
#include "samples.h"
#include "tools/vectors/vector.h"

/* The model of a test vector as drivers see it: copied constants among the values, referenced ones
 * in one pool with the id 1. Lies in memory of the samples and of the vector. */
const struct hy_model *hy_wire_vector_model(struct hy_wire_samples *samples,
                                            const struct hy_vector *vector);

#endif
