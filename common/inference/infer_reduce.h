#ifndef HY_COMMON_INFERENCE_INFER_REDUCE_H
#define HY_COMMON_INFERENCE_INFER_REDUCE_H

#include "common/call.h"

/* The dimensions of input 0 that an operation reduces. */
struct hy_reduction {
    uint32_t axes;        /* bit i: dimension i */
    bool keep_dimensions; /* keep reduced dimensions with an extent of 1 */
};

/*
 * MEAN and REDUCE_ALL ... REDUCE_SUM: input 1 lists the axes, duplicates allowed; input 2 selects
 * whether to keep them. Input 0 must not have an extent of 0. The rank is at most 4, except in
 * org.halyard.operations.
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

/* REDUCE_WINDOW: values for each dimension of input 0, at least 1; `function` is below 6. */
struct hy_windows {
    int32_t sizes[HY_MAX_RANK], strides[HY_MAX_RANK], dilations[HY_MAX_RANK];
    int32_t function;
};
HY_MUST_CHECK enum hy_code hy_windows_read(const struct hy_call *call, struct hy_windows *windows,
                                           struct hy_error *err);

#endif
