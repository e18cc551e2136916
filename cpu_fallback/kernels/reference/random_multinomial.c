#include <math.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/philox.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

/* Sets sums[j] to the sum of the probabilities of classes 0 to j, not normalised. */
static void sum_up(const HY_T *logits, size_t classes, double *sums)
{
    float max = -INFINITY;
    double sum = 0;

    for (size_t i = 0; i < classes; i++) {
        float x = HY_LOAD(logits[i]);
        sums[i] = (double)x; /* reads once: the next loop must see the same value */
        if (isfinite(x) && x > max)
            max = x;
    }
    for (size_t i = 0; i < classes; i++) {
        if (isfinite(sums[i]))
            sum += exp(sums[i] - (double)max);
        sums[i] = sum;
    }
}

/* The first class with a sum above `target`; the last class if none has. */
static size_t find_class(const double *sums, size_t classes, double target)
{
    size_t begin = 0, end = classes - 1;

    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (sums[middle] > target)
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

void HY_FN(random_multinomial)(const struct hy_random_params *params, const int32_t seeds[2],
                               const void *logits, int32_t *out, double *scratch)
{
    struct hy_philox philox = hy_philox_seeded(seeds[0], seeds[1]);
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t i = 0; i < params->rows && !hy_stop_after(watch, params->classes); i++) {
        sum_up((const HY_T *)logits + i * params->classes, params->classes, scratch);
        for (size_t j = 0; j < params->samples && !hy_stop_after(watch, 16); j++) {
            double target = hy_philox_next(&philox) * scratch[params->classes - 1];
            *out++ = (int32_t)find_class(scratch, params->classes, target);
        }
    }
}
