#include "cpu_fallback/kernels/fft.h"

#include <math.h>
#include <string.h>

#include "cpu_fallback/kernels/stop.h"

void hy_fft_twiddles(size_t n, struct hy_complex *twiddles)
{
    const double step = -2 * acos(-1.0) / (double)n;

    for (size_t k = 0; k < n; k++)
        twiddles[k] = (struct hy_complex){cos(step * (double)k), sin(step * (double)k)};
}

static struct hy_complex product(struct hy_complex a, struct hy_complex b)
{
    return (struct hy_complex){a.real * b.real - a.imaginary * b.imaginary,
                               a.real * b.imaginary + a.imaginary * b.real};
}

/* Exchanges the values: value k moves to the index with the bits of k reversed. */
static void reverse_bits(size_t n, struct hy_complex *values)
{
    for (size_t k = 1, reversed = 0; k < n; k++) {
        size_t bit = n / 2;
        for (; reversed & bit; bit /= 2)
            reversed ^= bit;
        reversed ^= bit;
        if (k < reversed) {
            const struct hy_complex value = values[k];
            values[k] = values[reversed];
            values[reversed] = value;
        }
    }
}

/* Joins transforms of `half` values in pairs. */
static void join(size_t n, size_t half, const struct hy_complex *twiddles,
                 struct hy_complex *values)
{
    const size_t step = n / (2 * half);

    for (size_t first = 0; first < n; first += 2 * half) {
        struct hy_complex *even = values + first, *odd = even + half;
        for (size_t k = 0; k < half; k++) {
            const struct hy_complex a = even[k], b = product(twiddles[k * step], odd[k]);
            even[k] = (struct hy_complex){a.real + b.real, a.imaginary + b.imaginary};
            odd[k] = (struct hy_complex){a.real - b.real, a.imaginary - b.imaginary};
        }
    }
}

/* Computes the transform by its definition. */
static void sum_all(size_t n, const struct hy_complex *twiddles, const struct hy_complex *in,
                    struct hy_complex *out)
{
    for (size_t k = 0; k < n && !hy_stop_after(hy_stop_here(), n); k++) {
        struct hy_complex sum = {0, 0};
        for (size_t j = 0, twiddle = 0; j < n; j++) {
            const struct hy_complex term = product(twiddles[twiddle], in[j]);
            sum.real += term.real;
            sum.imaginary += term.imaginary;
            twiddle += k;
            if (twiddle >= n)
                twiddle -= n;
        }
        out[k] = sum;
    }
}

void hy_fft(size_t n, const struct hy_complex *twiddles, struct hy_complex *values,
            struct hy_complex *scratch)
{
    if (n & (n - 1)) {
        memcpy(scratch, values, n * sizeof *values);
        sum_all(n, twiddles, scratch, values);
        return;
    }
    reverse_bits(n, values);
    for (size_t half = 1; half < n && !hy_stop_after(hy_stop_here(), n); half *= 2)
        join(n, half, twiddles, values);
}
