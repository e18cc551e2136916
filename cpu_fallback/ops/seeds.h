#ifndef HY_CPU_FALLBACK_OPS_SEEDS_H
#define HY_CPU_FALLBACK_OPS_SEEDS_H

#include "common/call.h"

/* Reads the two seeds of an operation that draws random numbers. If both are 0, the seeds are
 * different in every run. */
HY_MUST_CHECK enum hy_code hy_cpu_seeds_read(const struct hy_value *value, int32_t seeds[2],
                                             struct hy_error *err);

#endif
