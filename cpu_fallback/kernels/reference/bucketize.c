#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

#if HY_IS_FLOAT
#define VALUE(x) (double)HY_LOAD(x)
#else
#define VALUE(x) (double)(x)
#endif

static size_t bucket_of(double value, const float *boundaries, size_t count)
{
    size_t begin = 0, end = count;

    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (value < (double)boundaries[middle])
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

void HY_FN(bucketize)(const struct hy_bucketize_params *params, const void *in,
                      const float *boundaries, int32_t *out)
{
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t i = 0; i < params->count && !hy_stop_after(watch, 16); i++)
        out[i] = (int32_t)bucket_of(VALUE(((const HY_T *)in)[i]), boundaries, params->boundaries);
}
