#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_PHILOX_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_PHILOX_H

#include <stdint.h>

/* The counter-based generator Philox4x32-10: four 32-bit words for each state of a 128-bit counter.
 */
struct hy_philox {
    uint32_t counter[4]; /* the lowest word first */
    uint32_t key[2];
    uint32_t words[4];
    unsigned used; /* words used up; 4: all */
};

struct hy_philox hy_philox_seeded(int32_t key, int32_t counter);

/* Uniform over [0, 1), in steps of 2^-52. */
double hy_philox_next(struct hy_philox *philox);

/* Uniform over [0, 1), in steps of 2^-23. */
float hy_philox_float(struct hy_philox *philox);

#endif
