#ifndef HY_TOOLS_VECTORS_REFUSAL_H
#define HY_TOOLS_VECTORS_REFUSAL_H

#include "tools/device_selection.h"
#include "tools/vectors/vector.h"

/*
 * True if the devices refuse an operation of a test, and thereby the test; `reason` gets the
 * operation and the reason of the devices. A test with an expected failure is not refused: a
 * refusal lets the test pass. A test refused by the API itself is not refused by the devices.
 */
bool hy_vector_is_refused(const struct hy_vector *vector, const struct hy_device_selection *devices,
                          struct hy_error *reason);

#endif
