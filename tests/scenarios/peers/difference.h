#ifndef HY_TESTS_SCENARIOS_PEERS_DIFFERENCE_H
#define HY_TESTS_SCENARIOS_PEERS_DIFFERENCE_H

#include <stddef.h>

#include "libhalyard/tflite/tflite_types.h"

/*
 * Distance of tensors, added up over many tensors. The distance of float32 elements is relative to
 * the largest finite magnitude in the golden tensor, or absolute if the magnitude is 0. Other
 * distances are in units of the stored integer. The distance is infinite if only one element is
 * NaN, or if infinities differ.
 */
struct hy_difference {
    double worst;  /* largest distance of two elements */
    size_t count;  /* elements compared */
    size_t beyond; /* elements beyond the tolerance of the type */
    size_t apart;  /* unequal elements */
};

/* Tolerance for a different order of the same arithmetic: 1e-5 for float32, 1 step for 8 bits, 0
 * for other types. */
double hy_tolerance(enum hy_tflite_type type);

void hy_difference_add(struct hy_difference *difference, enum hy_tflite_type type, size_t count,
                       const void *golden, const void *measured);

#endif
