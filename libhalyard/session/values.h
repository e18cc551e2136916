#ifndef HY_LIBHALYARD_SESSION_VALUES_H
#define HY_LIBHALYARD_SESSION_VALUES_H

#include "libhalyard/graph/graph.h"

/* The elements of a tensor as real numbers: what is quantised is dequantised, with the scale of its
 * slice. */
struct hy_values {
    enum hy_element element;
    const void *bytes; /* of `count` elements, with extents that are known */
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
    uint64_t index; /* of the element in the tensor */
    double value;
};

/* The `size` largest elements, best first, among equals the lower index first. NANs have no rank.
 * Returns how many there were. */
uint32_t hy_values_top(const struct hy_values *values, struct hy_value_rank *ranks, uint32_t size);

#endif
