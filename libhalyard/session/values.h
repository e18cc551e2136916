#ifndef HY_LIBHALYARD_SESSION_VALUES_H
#define HY_LIBHALYARD_SESSION_VALUES_H

#include "libhalyard/graph/graph.h"

/* The elements of a tensor as real numbers: quantised elements are dequantised with the scale of
 * their slice. */
struct hy_values {
    enum hy_element element;
    const void *bytes; /* `count` elements; all extents are known */
    uint64_t count;
    uint32_t rank;
    const int32_t *extents;
    const struct hy_graph_quantisation *quantisation;
};

/* False for strings, complex numbers, resources and variants. */
bool hy_values_are_numbers(enum hy_element element);

/* Element `index` of a tensor of numbers. */
double hy_values_get(const struct hy_values *values, uint64_t index);

struct hy_value_rank {
    uint64_t index; /* index of the element in the tensor */
    double value;
};

/* The `size` largest elements in descending order; of equal elements the lower index comes first.
 * NANs have no rank. Returns the number of written ranks. */
uint32_t hy_values_top(const struct hy_values *values, struct hy_value_rank *ranks, uint32_t size);

#endif
