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
 * says whether to keep them. Input 0 has no extent of 0 and rank 4 at most.
 */
HY_MUST_CHECK enum hy_code hy_reduction_read(const struct hy_call *call,
                                             struct hy_reduction *reduction, struct hy_error *err);

#endif
