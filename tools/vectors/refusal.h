#ifndef HY_TOOLS_VECTORS_REFUSAL_H
#define HY_TOOLS_VECTORS_REFUSAL_H

#include "tools/device_choice.h"
#include "tools/vectors/vector.h"

/*
 * Whether the devices refuse an operation of a test, and so the test; `words` then name the
 * operation and what the devices say. A test of a model that has to be turned down is not refused,
 * it passes by that; nor is one that the API itself turns down.
 */
bool hy_vector_is_refused(const struct hy_vector *vector, const struct hy_device_choice *devices,
                          struct hy_error *words);

#endif
