#ifndef HY_TESTS_KERNELS_TENSOR_H
#define HY_TESTS_KERNELS_TENSOR_H

#include "common/random.h"
#include "cpu_fallback/kernels/types.h"

/* Tensors of any element type in guarded memory (guarded.h). */

size_t tensor_element_size(enum hy_element element);

/* Quantised values use their whole range, int32 a small one, real ones lie in [-1, 1). */
void *tensor_random(struct hy_random *random, int slot, enum hy_element element, size_t count);

/* For a kernel to write; holds a pattern. */
void *tensor_blank(int slot, enum hy_element element, size_t count);

/* The stored number: widened, not dequantised. */
double tensor_at(enum hy_element element, const void *values, size_t i);

/* The first index where two tensors hold different numbers; `count` if none. */
size_t tensor_first_difference(enum hy_element element, const void *a, const void *b, size_t count);

/* Smallest and largest stored number of a quantised type. */
int tensor_min(enum hy_element element);
int tensor_max(enum hy_element element);

#endif
