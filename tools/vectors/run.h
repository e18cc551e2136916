#ifndef HY_TOOLS_VECTORS_RUN_H
#define HY_TOOLS_VECTORS_RUN_H

#include "tools/device_choice.h"
#include "tools/run_mode.h"
#include "tools/vectors/vector.h"

/* A test that has to fail, and yet is valid: its loop never ends, and the timeout has to stop it.
 */
bool hy_vector_is_endless(const struct hy_vector *vector);

/*
 * Runs a test through the API and judges what comes out. HY_OK: passed. Else the words say what
 * was refused, or which output is wrong and how.
 */
HY_MUST_CHECK enum hy_code hy_vector_run(const struct hy_vector *vector,
                                         const struct hy_device_choice *devices,
                                         enum hy_run_mode mode, struct hy_error *err);

#endif
