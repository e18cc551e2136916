#include <math.h>

#include "cpu_fallback/kernels/reference/normalise_lines.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

/* The sum of (x - mean)^2 over elements [begin, end) of a line. */
static double sum_of_squares(const HY_T *in, size_t step, size_t begin, size_t end, double mean)
{
    double sum = 0;

    for (size_t i = begin; i < end; i++) {
        double x = (double)HY_LOAD(in[i * step]) - mean;
        sum += x * x;
    }
    return sum;
}

static void local_line(const struct hy_normalise_params *params, const HY_T *in, HY_T *out)
{
    size_t count = params->lines.count, step = params->lines.inner, radius = params->radius;
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t i = 0; i < count; i++) {
        size_t begin = i < radius ? 0 : i - radius;
        size_t end = count - i <= radius ? count : i + radius + 1;
        if (hy_stop_after(watch, end - begin))
            return;
        float sum = (float)sum_of_squares(in, step, begin, end, 0);
        float scale = powf(params->bias + params->alpha * sum, -params->beta);
        out[i * step] = HY_STORE(HY_LOAD(in[i * step]) * scale);
    }
}
HY_NORMALISE_KERNEL(local_normalise, local_line)

static void instance_line(const struct hy_normalise_params *params, const HY_T *in, HY_T *out)
{
    size_t count = params->lines.count, step = params->lines.inner;
    double mean = 0;

    for (size_t i = 0; i < count; i++)
        mean += (double)HY_LOAD(in[i * step]);
    mean /= (double)count;
    double variance = sum_of_squares(in, step, 0, count, mean) / (double)count;
    double scale = (double)params->gamma / sqrt(variance + (double)params->epsilon);
    for (size_t i = 0; i < count; i++) {
        double x = (double)HY_LOAD(in[i * step]) - mean;
        out[i * step] = HY_STORE((float)(x * scale + (double)params->beta));
    }
}
HY_NORMALISE_KERNEL(instance_normalise, instance_line)
