#ifndef HY_TESTS_PEERS_DIFFERENCE_H
#define HY_TESTS_PEERS_DIFFERENCE_H

#include <stddef.h>

#include "libhalyard/tflite/tflite_types.h"

/*
 * How far apart tensors are, summed up over many. The distance of two elements is, for float32,
 * relative to the largest finite magnitude in the golden tensor (absolute where that is 0), else in
 * units of the stored integer. It is infinite where only one is a NaN, or not the same infinity.
 */
struct hy_difference {
    double worst;  /* distance of two elements */
    size_t count;  /* elements compared */
    size_t beyond; /* of these, further apart than the type's tolerance */
    size_t apart;  /* of these, not equal */
};

/* What may come of another order of the same arithmetic: 1e-5 for float32, 1 step for 8 bits, and
 * nothing for others. */
double hy_tolerance(enum hy_tflite_type type);

void hy_difference_add(struct hy_difference *difference, enum hy_tflite_type type, size_t count,
                       const void *golden, const void *measured);

#endif
