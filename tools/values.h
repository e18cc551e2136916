#ifndef HY_TOOLS_VALUES_H
#define HY_TOOLS_VALUES_H

#include "tools/session.h"

/* The contents of a tensor as real numbers: what is quantised is dequantised. */

uint64_t hy_values_count(const struct hy_session_tensor *tensor);

/* Element `index`; NAN for a type that is no number here (string, complex, int4, 16-bit floats). */
double hy_values_get(const struct hy_session_tensor *tensor, uint64_t index);

struct hy_values_range {
    double min;
    double max;
};

/* NANs are passed over; a tensor of nothing else has the range NAN to NAN. */
struct hy_values_range hy_values_range(const struct hy_session_tensor *tensor);

#endif
