#ifndef HY_LIBHALYARD_GRAPH_INDEX_INPUTS_H
#define HY_LIBHALYARD_GRAPH_INDEX_INPUTS_H

#include <stdint.h>

#include "libhalyard/graph/operator.h"

/* Which inputs of an operator say where elements are, or how many: axes, indices, extents. A bit
 * for each; files have int32 or int64 there. */
struct hy_index_inputs {
    uint32_t parameters; /* numbers that are known when the model is compiled */
    uint32_t narrow;     /* operations take int32 alone */
    uint32_t either;     /* operations take int32 or int64, one type for all of the operator */
};

const struct hy_index_inputs *hy_index_inputs_of(enum hy_operator operator_);
uint32_t hy_index_inputs_all(const struct hy_index_inputs *of);

#endif
