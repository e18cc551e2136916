/* Fourier transforms against their definition. */
#include "cpu_fallback/kernels/fft.h"

#include <math.h>

#include "common/random.h"
#include "tests/kit/test.h"

enum { MOST = 64 };

static void expect_transform(size_t n, const struct hy_complex *in, const struct hy_complex *out)
{
    for (size_t k = 0; k < n; k++) {
        double real = 0, imaginary = 0;
        for (size_t j = 0; j < n; j++) {
            const double angle = -2 * acos(-1.0) * (double)(j * k % n) / (double)n;
            real += in[j].real * cos(angle) - in[j].imaginary * sin(angle);
            imaginary += in[j].real * sin(angle) + in[j].imaginary * cos(angle);
        }
        if (!(fabs(out[k].real - real) < 1e-12 && fabs(out[k].imaginary - imaginary) < 1e-12))
            hy_test_fail(__FILE__, __LINE__, "%zu of %zu: %g + %g i, expected %g + %g i", k, n,
                         out[k].real, out[k].imaginary, real, imaginary);
    }
}

TEST(kernels_fft, each_length_is_transformed_as_the_definition_says)
{
    struct hy_complex in[MOST], values[MOST], scratch[MOST], twiddles[MOST];
    struct hy_random random = {1};

    for (size_t n = 1; n <= MOST; n++) {
        for (size_t i = 0; i < n; i++)
            in[i] = values[i] = (struct hy_complex){(double)hy_random_real(&random, -1, 1),
                                                    (double)hy_random_real(&random, -1, 1)};
        hy_fft_twiddles(n, twiddles);
        hy_fft(n, twiddles, values, scratch);
        expect_transform(n, in, values);
    }
    EXPECT(twiddles[0].real == 1);
}
