#ifndef HY_RUNTIME_ANSWER_H
#define HY_RUNTIME_ANSWER_H

#include "runtime/execute/binding.h"

/* Makes an answer that the driver leaves out tell from one it gives; before each call. */
void hy_answer_reset(struct hy_bound_step *step);

/*
 * Whether what a driver reports with success, or with OUTPUT_INSUFFICIENT_SIZE, can be true: a
 * shape per output, that is complete, changes no known extent and fits the room where it says so;
 * with success all outputs sufficient, else at least one not. Errors: FAILED, in words that name
 * the output.
 */
HY_MUST_CHECK enum hy_code hy_answer_check(const struct hy_bound_step *step,
                                           const struct hy_result *result, bool insufficient,
                                           struct hy_error *err);

#endif
