#ifndef HY_TESTS_KERNELS_TENSOR_H
#define HY_TESTS_KERNELS_TENSOR_H

#include "common/random.h"
#include "cpu_fallback/kernels/types.h"

/* Tensors of any element type in guarded memory (guarded.h). */

size_t tensor_element_size(enum hy_element element);

/* Random values: the whole range for quantised types, a small range for int32, [-1, 1) for
 * floats. */
void *tensor_random(struct hy_random *random, int slot, enum hy_element element, size_t count);

/* A tensor for the output of a kernel, filled with a pattern. */
void *tensor_blank(int slot, enum hy_element element, size_t count);

/* The stored number, widened but not dequantised. */
double tensor_at(enum hy_element element, const void *values, size_t i);

/* Index of the first different number; `count` if the tensors are equal. */
size_t tensor_first_difference(enum hy_element element, const void *a, const void *b, size_t count);

/* Smallest and largest stored number of a quantised type. */
int tensor_min(enum hy_element element);
int tensor_max(enum hy_element element);

#endif
