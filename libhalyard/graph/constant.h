#ifndef HY_LIBHALYARD_GRAPH_CONSTANT_H
#define HY_LIBHALYARD_GRAPH_CONSTANT_H

#include "libhalyard/graph/graph.h"

/* Integers of constants: shapes, axes, indices. */

/* The largest number of elements of a readable constant of integers. */
enum { HY_CONSTANT_MAX_INTS = 4096 };

/* Reads the numbers of a constant of int32, int64 or bool. Returns the count, or -1 if the tensor
 * is no constant of these types, has more than `capacity` elements, or has a number beyond 2^53. */
int64_t hy_constant_ints(const struct hy_graph_tensor *tensor, int64_t *numbers, uint32_t capacity);

/* Reads a constant of one integer; false for every other tensor. */
bool hy_constant_int(const struct hy_graph_tensor *tensor, int64_t *number);

/* Writes numbers as the contents of an int32, int64 or bool tensor; false for another type, or if a
 * number does not fit the type. */
bool hy_constant_store(enum hy_element element, const int64_t *numbers, uint64_t count, void *to);

#endif
