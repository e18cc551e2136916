#ifndef HY_CPU_FALLBACK_TUNING_MEASURE_H
#define HY_CPU_FALLBACK_TUNING_MEASURE_H

#include <stdatomic.h>

#include "cpu_fallback/program/plan.h"

/*
 * Finds the fastest blocking of each step that has several. Steps run on this thread alone, with
 * their own tensors. The measure is the processor time of the thread, because other threads disturb
 * it little. The rule's blocking stays unless another is faster by more than the measurement error.
 *
 * `blockings` (per operation, zeroed) gets a blocking for every measured step. Errors: HY_FAILED
 * (soon after `is_cancelled` is set), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_measure(const struct hy_cpu_program *program,
                                          const struct hy_cpu_plan *plan,
                                          const uint32_t *is_cancelled,
                                          struct hy_cpu_blocking *blockings, struct hy_error *err);

#endif
