#ifndef HY_COMMON_INFERENCE_INFER_LOOKUP_H
#define HY_COMMON_INFERENCE_INFER_LOOKUP_H

#include "common/call.h"

/*
 * Operations that find rows of a tensor by numbers in another tensor: GATHER by index along any
 * axis, EMBEDDING_LOOKUP by index, HASHTABLE_LOOKUP by key; LSH_PROJECTION makes keys. The numbers
 * are checked at run time.
 */
HY_MUST_CHECK enum hy_code hy_gather_axis(const struct hy_call *call, uint32_t *axis,
                                          uint32_t *batches, struct hy_error *err);

enum hy_lsh_type {
    HY_LSH_SPARSE_DEPRECATED = 1,
    HY_LSH_DENSE = 2,
    HY_LSH_SPARSE = 3,
};
/* HY_FAILED if DENSE lacks its weights. The absence of weights for the other types is only checked
 * at run time, because an execution may omit the weights. */
HY_MUST_CHECK enum hy_code hy_lsh_type_read(const struct hy_call *call, enum hy_lsh_type *type,
                                            struct hy_error *err);

#endif
