#ifndef HY_COMMON_INFERENCE_INFER_REDUCE_H
#define HY_COMMON_INFERENCE_INFER_REDUCE_H

#include "common/call.h"

/* Which dimensions of input 0 an operation reduces. */
struct hy_reduction {
    uint32_t axes; /* bit i: dimension i */
    bool keep;     /* reduced dimensions stay, with an extent of 1 */
};

/*
 * MEAN and REDUCE_ALL ... REDUCE_SUM: input 1 lists axes, with duplicates as it pleases; input 2
 * says whether to keep them. Input 0 has no extent of 0, and rank 4 at most unless the operation is
 * one of org.halyard.operations.
 */
HY_MUST_CHECK enum hy_code hy_reduction_read(const struct hy_call *call,
                                             struct hy_reduction *reduction, struct hy_error *err);

/* CUMSUM: input 1 is the axis. */
struct hy_running_sum {
    uint32_t axis;
    bool exclusive, reverse;
};
HY_MUST_CHECK enum hy_code hy_running_sum_read(const struct hy_call *call,
                                               struct hy_running_sum *sum, struct hy_error *err);

/* REDUCE_WINDOW: of each dimension of input 0, 1 at least; `function` is below 6. */
struct hy_windows {
    int32_t sizes[HY_MAX_RANK], strides[HY_MAX_RANK], dilations[HY_MAX_RANK];
    int32_t function;
};
HY_MUST_CHECK enum hy_code hy_windows_read(const struct hy_call *call, struct hy_windows *windows,
                                           struct hy_error *err);

#endif
