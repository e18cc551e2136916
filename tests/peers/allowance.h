#ifndef HY_TESTS_PEERS_ALLOWANCE_H
#define HY_TESTS_PEERS_ALLOWANCE_H

#include <stddef.h>

#include "libhalyard/tflite/tflite_options.h"
#include "libhalyard/tflite/tflite_types.h"

/*
 * How far an operator may be from TensorFlow Lite's built-in kernel. All but a few have no element
 * beyond the tolerance of its type (difference.h); the few are a list, each with its reason in
 * docs/numerics.md.
 */
struct hy_allowance {
    double worst; /* distance of any element */
    double share; /* of all elements, those that may be beyond the tolerance */
    size_t few;   /* that many more may be: a share of a small sample means little */
};

/* `data`: the type of the operator's data. */
struct hy_allowance hy_allowance(enum hy_tflite_op op, enum hy_tflite_type data);

#endif
