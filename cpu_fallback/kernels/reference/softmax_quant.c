#include <math.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

/* The quantisation of the output is fixed: scale 1/256, and its smallest value is real zero. */
#if defined(HY_S8)
enum { MIN = INT8_MIN, MAX = INT8_MAX };
#else
enum { MIN = 0, MAX = UINT8_MAX };
#endif
enum { LAST = HY_SOFTMAX_TABLE_SIZE - 1 }; /* the entry of difference 0 */

/* Clamps the index, because another process may change the elements meanwhile. */
static float power_of(int max, int element, const float *table)
{
    return table[(uint8_t)(LAST - max + element)];
}

/* One softmax over `count` elements, `step` apart. */
static void softmax_line(const HY_T *in, HY_T *out, size_t count, size_t step, const float *table)
{
    int max = MIN;
    float sum = 0;

    for (size_t i = 0; i < count; i++)
        max = in[i * step] > max ? in[i * step] : max;
    for (size_t i = 0; i < count; i++)
        sum += power_of(max, in[i * step], table);

    float inverse = 1 / (sum * (1 / 256.0f));
    for (size_t i = 0; i < count; i++) {
        int64_t steps = lroundf(power_of(max, in[i * step], table) * inverse);
        out[i * step] = (HY_T)hy_clamp_int32(steps + MIN, MIN, MAX);
    }
}

void HY_FN(softmax)(const struct hy_softmax_params *params, const void *in, void *out)
{
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t o = 0; o < params->outer; o++)
        for (size_t i = 0; i < params->inner; i++) {
            if (hy_stop_after(watch, params->count))
                return;
            size_t begin = o * params->count * params->inner + i;
            softmax_line((const HY_T *)in + begin, (HY_T *)out + begin, params->count,
                         params->inner, params->exp_table);
        }
}
