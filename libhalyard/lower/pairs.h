#ifndef HY_LIBHALYARD_LOWER_PAIRS_H
#define HY_LIBHALYARD_LOWER_PAIRS_H

#include "libhalyard/lower/lowering.h"

/* The operation on pairs of elements for the element type of `tensor`: `type` if NNAPI supports the
 * element type, else the operation of the same name of org.halyard.operations. */
int32_t hy_pair_operation(const struct hy_graph_tensor *tensor, int32_t type);

#endif
