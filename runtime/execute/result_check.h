#ifndef HY_RUNTIME_RESULT_CHECK_H
#define HY_RUNTIME_RESULT_CHECK_H

#include "runtime/execute/binding.h"

/* Call before each driver call. Clears the results, so that a missing result can be detected. */
void hy_result_check_reset(struct hy_bound_step *step);

/*
 * Checks the results of a driver call with success or OUTPUT_INSUFFICIENT_SIZE. Each output needs a
 * complete shape that keeps all known extents and fits the capacity if reported sufficient. With
 * success all outputs must be sufficient; otherwise at least one must be insufficient. The time on
 * the device must not exceed the time in the driver. Errors: FAILED; the text names the output.
 */
HY_MUST_CHECK enum hy_code hy_result_check(const struct hy_bound_step *step,
                                           const struct hy_result *result, bool insufficient,
                                           struct hy_error *err);

#endif
