#ifndef HY_CPU_FALLBACK_KERNELS_FFT_H
#define HY_CPU_FALLBACK_KERNELS_FFT_H

#include <stddef.h>

/* The discrete Fourier transform of complex numbers: out[k] = sum of in[j] * exp(-2 pi i j k / n).
 * Powers of two take n log n steps, other lengths n^2. */
struct hy_complex {
    double real, imaginary;
};

/* exp(-2 pi i k / n) for each k < n. */
void hy_fft_twiddles(size_t n, struct hy_complex *twiddles);

/* Transforms `values` in place; `scratch` has space for n numbers. */
void hy_fft(size_t n, const struct hy_complex *twiddles, struct hy_complex *values,
            struct hy_complex *scratch);

#endif
