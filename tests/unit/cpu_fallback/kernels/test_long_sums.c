/* Means, lengths and softmaxes of so many numbers that a float32 sum of them would be off by a
 * hundredth. Every level is within a few ulp of sums in double. */
#include <math.h>
#include <stdlib.h>

#include "cpu_fallback/kernels/kernels.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { SIDE = 1024, COUNT = SIDE * SIDE, COLUMNS = 3 };

/* Of a result near `want`: the last place of a float32 there, four times. */
static double few_ulp(double want)
{
    return 4 * ldexp(fabs(want), -23);
}

/* Numbers of one sign, between a tenth and two: sums of them lose most where they grow. */
static float *numbers(size_t count)
{
    float *values = malloc(count * sizeof *values);
    if (!values)
        abort();
    for (size_t i = 0; i < count; i++)
        values[i] = i % 2 ? 0.1f : 0.1f + (float)(i % 1000) * 0.0019f;
    return values;
}

/* ---- Pools ----------------------------------------------------------------------------------- */

/* One window as large as its image. */
static struct hy_pool_params window_of(uint32_t height, uint32_t width, uint32_t channels)
{
    return (struct hy_pool_params){.batch = 1,
                                   .in_h = height,
                                   .in_w = width,
                                   .channels = channels,
                                   .out_h = 1,
                                   .out_w = 1,
                                   .filter_h = height,
                                   .filter_w = width,
                                   .stride_h = 1,
                                   .stride_w = 1,
                                   .activation = {.min = -INFINITY, .max = INFINITY}};
}

static void check_window(enum hy_pooling op, uint32_t height, uint32_t width, uint32_t channels)
{
    const struct hy_pool_params params = window_of(height, width, channels);
    const size_t cells = (size_t)height * width;
    float *in = numbers(cells * channels), out[COLUMNS];

    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at(level);
        if (!table)
            continue;
        table->pool[op][HY_ELEMENT_F32](&params, in, out);
        for (uint32_t c = 0; c < channels; c++) {
            double sum = 0;
            for (size_t i = 0; i < cells; i++) {
                const double x = (double)in[i * channels + c];
                sum += op == HY_POOLING_L2 ? x * x : x;
            }
            const double mean = sum / (double)cells;
            const double want = op == HY_POOLING_L2 ? sqrt(mean) : mean;
            if (!(fabs((double)out[c] - want) <= few_ulp(want)))
                hy_test_fail(__FILE__, __LINE__, "%s, %u x %u: channel %u is %.9g, expected %.9g",
                             hy_kernel_isa_level_name((enum hy_kernel_isa_level)level), height,
                             width, c, (double)out[c], want);
        }
    }
    free(in);
}

TEST(kernels_long_sums, average_of_a_large_window_is_exact_to_a_few_ulp)
{
    check_window(HY_POOLING_AVERAGE, SIDE, SIDE, 1);
    check_window(HY_POOLING_AVERAGE, SIDE, SIDE / 2, 2);
    check_window(HY_POOLING_AVERAGE, 1, COUNT / 4, COLUMNS);
    check_window(HY_POOLING_AVERAGE, 13, 7, COLUMNS);
}

TEST(kernels_long_sums, length_of_a_large_window_is_exact_to_a_few_ulp)
{
    check_window(HY_POOLING_L2, SIDE, SIDE, 1);
    check_window(HY_POOLING_L2, 13, 7, COLUMNS);
}

/* As many cells as lie on both sides of HY_POOL_FEW, and blocks that end anywhere. */
TEST(kernels_long_sums, averages_of_every_level_are_those_of_the_reference)
{
    enum { CHANNELS = 21, MOST = 20 };
    float *in = numbers((size_t)MOST * MOST * CHANNELS), want[CHANNELS], got[CHANNELS];

    for (uint32_t side = 1; side <= MOST * MOST; side++) {
        const uint32_t height = 1 + side % MOST, width = 1 + side / MOST % MOST;
        const struct hy_pool_params params = window_of(height, width, CHANNELS);
        hy_kernels_reference()->pool[HY_POOLING_AVERAGE][HY_ELEMENT_F32](&params, in, want);
        for (int level = 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
            const struct hy_kernel_table *table = tested_kernels_at(level);
            if (!table)
                continue;
            table->pool[HY_POOLING_AVERAGE][HY_ELEMENT_F32](&params, in, got);
            EXPECT(memcmp(want, got, sizeof got) == 0);
        }
    }
    free(in);
}

/* A window of up to HY_POOL_FEW cells is added in float32, from the first to the last. */
TEST(kernels_long_sums, average_of_a_small_window_is_that_of_a_float_sum)
{
    float *in = numbers(HY_POOL_FEW);

    for (uint32_t cells = 1; cells <= HY_POOL_FEW; cells++) {
        const struct hy_pool_params params = window_of(1, cells, 1);
        float sum = 0, out;
        for (uint32_t i = 0; i < cells; i++)
            sum += in[i];
        for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
            const struct hy_kernel_table *table = tested_kernels_at(level);
            if (!table)
                continue;
            table->pool[HY_POOLING_AVERAGE][HY_ELEMENT_F32](&params, in, &out);
            EXPECT(out == sum / (float)cells);
        }
    }
    free(in);
}

/* ---- Softmaxes ------------------------------------------------------------------------------- */

/* `inner` softmaxes side by side, of a zero and many tenths below it. */
static void check_softmax(bool is_logarithm, size_t inner)
{
    const struct hy_softmax_params params = {
        .outer = 1, .count = COUNT / inner, .inner = inner, .beta = 1};
    const double probability = 1 / (1 + (double)(params.count - 1) * exp((double)-0.1f));
    const double want = is_logarithm ? log(probability) : probability;
    float *in = malloc(COUNT * sizeof *in), *out = malloc(COUNT * sizeof *out);

    if (!in || !out)
        abort();
    for (size_t i = 0; i < COUNT; i++)
        in[i] = i < inner ? 0 : -0.1f;
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at(level);
        if (!table)
            continue;
        (is_logarithm ? table->log_softmax : table->softmax)[HY_ELEMENT_F32](&params, in, out);
        for (size_t i = 0; i < inner; i++) {
            if (!(fabs((double)out[i] - want) <= few_ulp(want)))
                hy_test_fail(__FILE__, __LINE__, "%s, %zu side by side: %.9g, expected %.9g",
                             hy_kernel_isa_level_name((enum hy_kernel_isa_level)level), inner,
                             (double)out[i], want);
        }
    }
    free(in);
    free(out);
}

TEST(kernels_long_sums, softmax_of_a_million_is_exact_to_a_few_ulp)
{
    check_softmax(false, 1);
    check_softmax(false, 2);
}

TEST(kernels_long_sums, logarithm_of_such_a_softmax_is_exact_to_a_few_ulp)
{
    check_softmax(true, 1);
    check_softmax(true, 2);
}
