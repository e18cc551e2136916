#ifndef HY_COMMON_HALF_H
#define HY_COMMON_HALF_H

#include <stddef.h>
#include <stdint.h>

/* IEEE 754 binary16, kept as its 16 bits: one of our compilers has no such type. */

float hy_half_to_float(uint16_t half);

/* The same of `count` halves of any alignment. */
void hy_halves_to_floats(const void *halves, size_t count, float *floats);

/* Rounds to nearest, ties to even; too large becomes infinite. */
uint16_t hy_half_from_float(float value);

#endif
