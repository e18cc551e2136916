#ifndef HY_COMMON_INFERENCE_INFER_TABLE_H
#define HY_COMMON_INFERENCE_INFER_TABLE_H

#include "common/call.h"

/* HASHTABLE_FIND of org.halyard.operations: inputs. */
enum { HY_TABLE_QUERIES, HY_TABLE_KEYS, HY_TABLE_VALUES, HY_TABLE_DEFAULT, HY_TABLE_SIZE };

/* EMBEDDING_LOOKUP_SPARSE of org.halyard.operations: inputs. */
enum {
    HY_SPARSE_IDS,
    HY_SPARSE_INDICES,
    HY_SPARSE_SHAPE,
    HY_SPARSE_WEIGHTS,
    HY_SPARSE_ROWS,
    HY_SPARSE_COMBINER,
};

enum hy_combiner { HY_COMBINE_SUM, HY_COMBINE_MEAN, HY_COMBINE_SQRTN, HY_COMBINER_COUNT };

struct hy_sparse_lookup {
    uint32_t count; /* number of ids */
    uint32_t rank;  /* rank of the sparse tensor */
    uint32_t shape[HY_MAX_RANK];
    enum hy_combiner combiner;
};

HY_MUST_CHECK enum hy_code hy_sparse_lookup_read(const struct hy_call *call,
                                                 struct hy_sparse_lookup *out,
                                                 struct hy_error *err);

#endif
