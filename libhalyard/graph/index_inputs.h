#ifndef HY_LIBHALYARD_GRAPH_INDEX_INPUTS_H
#define HY_LIBHALYARD_GRAPH_INDEX_INPUTS_H

#include <stdint.h>

#include "libhalyard/graph/operator.h"

/* Inputs of an operator with integers that define positions or counts: axes, indices, extents. Each
 * set has one bit per input; files have int32 or int64 for these inputs. */
struct hy_index_inputs {
    uint32_t parameters; /* numbers known at compile time */
    uint32_t narrow;     /* operations accept int32 alone */
    /* operations accept int32 or int64, the same type for all inputs of the operator */
    uint32_t either;
};

const struct hy_index_inputs *hy_index_inputs_of(enum hy_operator operator_);
uint32_t hy_index_inputs_all(const struct hy_index_inputs *of);

#endif
