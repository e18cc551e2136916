#include <float.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

#if HY_IS_FLOAT
#define RESULT_T  HY_REAL
#define LOAD(x)   HY_LOAD(x)
#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define LEAST     (-MOST)
#if defined(HY_F64)
#define MOST DBL_MAX
#elif defined(HY_F32)
#define MOST FLT_MAX
#elif defined(HY_F16)
#define MOST 65504.0f
#else
#define MOST 0x1.fep127f
#endif
#else
#include "cpu_fallback/kernels/integer_limits.h"
#define RESULT_T  HY_T
#define LOAD(x)   (x)
#define ADD(a, b) (HY_T)((HY_WRAP_T)(a) + (HY_WRAP_T)(b))
#define MUL(a, b) (HY_T)((HY_WRAP_T)(a) * (HY_WRAP_T)(b))
#define LEAST     HY_LEAST
#define MOST      HY_MOST
#endif

static RESULT_T neutral(enum hy_segment kind)
{
    switch (kind) {
    case HY_SEGMENT_SUM:
        return 0;
    case HY_SEGMENT_PROD:
        return 1;
    case HY_SEGMENT_MAX:
        return LEAST;
    default:
        return MOST;
    }
}

static void add_row(enum hy_segment kind, size_t length, const HY_T *row, RESULT_T *result)
{
    switch (kind) {
    case HY_SEGMENT_SUM:
        for (size_t i = 0; i < length; i++)
            result[i] = ADD(result[i], LOAD(row[i]));
        return;
    case HY_SEGMENT_PROD:
        for (size_t i = 0; i < length; i++)
            result[i] = MUL(result[i], LOAD(row[i]));
        return;
    case HY_SEGMENT_MAX:
        for (size_t i = 0; i < length; i++)
            result[i] = LOAD(row[i]) > result[i] ? LOAD(row[i]) : result[i];
        return;
    default:
        for (size_t i = 0; i < length; i++)
            result[i] = LOAD(row[i]) < result[i] ? LOAD(row[i]) : result[i];
    }
}

void HY_FN(segment)(const struct hy_segment_params *params, const int32_t *ids, const void *in,
                    void *results, void *out)
{
    const RESULT_T start = neutral(params->kind);
    const size_t length = params->length, count = params->segments * length;
    struct hy_stop_watch *watch = hy_stop_here();
    RESULT_T *result = results;

    for (size_t i = 0; i < count; i++)
        result[i] = start;
    for (size_t i = 0; i < params->rows && !hy_stop_after(watch, length); i++)
        if (ids[i] >= 0)
            add_row(params->kind, length, (const HY_T *)in + i * length,
                    result + (size_t)ids[i] * length);
#if defined(HY_F16) || defined(HY_BF16)
    for (size_t i = 0; i < count; i++)
        ((HY_T *)out)[i] = HY_STORE(result[i]);
#else
    (void)out;
#endif
}
