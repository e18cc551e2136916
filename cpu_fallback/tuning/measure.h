#ifndef HY_CPU_FALLBACK_TUNING_MEASURE_H
#define HY_CPU_FALLBACK_TUNING_MEASURE_H

#include <stdatomic.h>

#include "cpu_fallback/program/plan.h"

/*
 * Finds for each step of a plan that has choices the one that is fastest here and now, with tensors
 * of its own, on this thread alone and by its processor time, which others cannot disturb much.
 * Something else than the rule's is chosen only if it is faster by more than such measurements err.
 *
 * `choices` (one per operation, zeroed) gets one for every step that has several. Errors: HY_FAILED
 * (soon after `is_cancelled` has been set), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_measure(const struct hy_cpu_program *program,
                                          const struct hy_cpu_plan *plan,
                                          const uint32_t *is_cancelled,
                                          struct hy_cpu_choice *choices, struct hy_error *err);

#endif
