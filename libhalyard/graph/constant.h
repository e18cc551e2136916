#ifndef HY_LIBHALYARD_GRAPH_CONSTANT_H
#define HY_LIBHALYARD_GRAPH_CONSTANT_H

#include "libhalyard/graph/graph.h"

/* Integers of constants: shapes, axes, indices. */

/* Elements that a constant of integers has at most, for its numbers to be read. */
enum { HY_CONSTANT_MAX_INTS = 4096 };

/* The numbers of a constant of int32, int64 or bool; the count, or -1 where the tensor is no such
 * constant, has more than `room` elements, or a number beyond 2^53. */
int64_t hy_constant_ints(const struct hy_graph_tensor *tensor, int64_t *numbers, uint32_t room);

/* One number of a constant; false where the tensor is no constant of one integer. */
bool hy_constant_int(const struct hy_graph_tensor *tensor, int64_t *number);

/* Writes numbers as the contents of an int32, int64 or bool tensor; false where another type is
 * asked for, or a number does not fit. */
bool hy_constant_store(enum hy_element element, const int64_t *numbers, uint64_t count, void *to);

#endif
