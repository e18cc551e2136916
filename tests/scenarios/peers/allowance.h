#ifndef HY_TESTS_SCENARIOS_PEERS_ALLOWANCE_H
#define HY_TESTS_SCENARIOS_PEERS_ALLOWANCE_H

#include <stddef.h>

#include "libhalyard/tflite/tflite_options.h"
#include "libhalyard/tflite/tflite_types.h"

/*
 * The allowed distance between an operator and TensorFlow Lite's built-in kernel. Most operators
 * must have all elements within the tolerance of the type (difference.h). The exceptions are a
 * list; docs/numerics.md has the reason for each exception.
 */
struct hy_allowance {
    double worst; /* largest distance of an element */
    double share; /* share of elements allowed beyond the tolerance */
    size_t few;   /* additional elements beyond the tolerance, for small samples */
};

/* `data` is the type of the operator's data. */
struct hy_allowance hy_allowance(enum hy_tflite_op op, enum hy_tflite_type data);

#endif
