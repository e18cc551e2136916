#ifndef HY_TOOLS_VALUES_H
#define HY_TOOLS_VALUES_H

#include "tools/session.h"

/* The contents of an output as real numbers; quantised elements are dequantised. */
struct hy_values {
    uint64_t count; /* 0 also for an output without numbers */
    double *at;
    double min; /* NANs are ignored; without any number the range is NAN to NAN */
    double max;
};

/* The output of the last run. The caller finishes the values. */
HY_MUST_CHECK enum hy_code hy_values_read(const struct hy_session *session, uint32_t output,
                                          struct hy_values *out, struct hy_error *err);
void hy_values_finish(struct hy_values *values);

#endif
