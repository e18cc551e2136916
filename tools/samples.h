#ifndef HY_TOOLS_SAMPLES_H
#define HY_TOOLS_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

/* How long many runs took, in nanoseconds. Zeroed, there is none. */
struct hy_samples {
    uint32_t count;
    uint64_t *at;
};

HY_MUST_CHECK enum hy_code hy_samples_add(struct hy_samples *samples, uint64_t ns,
                                          struct hy_error *err);
void hy_samples_finish(struct hy_samples *samples);

/* For how long to measure: so many runs or, where there is a time, as many as fit into it; in any
 * case no longer than until somebody interrupts. */
struct hy_measured_length {
    uint32_t runs;
    uint64_t duration_ns; /* 0: runs count */
};

bool hy_measured_length_is_over(const struct hy_measured_length *length, uint32_t runs,
                                uint64_t start_ns);

#endif
