#ifndef HY_TOOLS_SAMPLES_H
#define HY_TOOLS_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

/* The durations of many runs in nanoseconds. A zeroed struct is empty. */
struct hy_samples {
    uint32_t count;
    uint64_t *at;
};

HY_MUST_CHECK enum hy_code hy_samples_add(struct hy_samples *samples, uint64_t ns,
                                          struct hy_error *err);
void hy_samples_finish(struct hy_samples *samples);

/* The length of a measurement: `runs` runs, or as many runs as fit into `duration_ns`. An interrupt
 * ends the measurement earlier. */
struct hy_measured_length {
    uint32_t runs;
    uint64_t duration_ns; /* 0: the number of runs decides */
};

bool hy_measured_length_is_over(const struct hy_measured_length *length, uint32_t runs,
                                uint64_t start_ns);

#endif
