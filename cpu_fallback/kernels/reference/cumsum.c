#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

#if HY_IS_FLOAT
#define SUM_T    HY_REAL
#define LOAD(x)  HY_LOAD(x)
#define STORE(x) HY_STORE(x)
#else
#define SUM_T    HY_WRAP_T
#define LOAD(x)  (HY_WRAP_T)(x)
#define STORE(x) (HY_T)(x)
#endif

static void sum_line(const struct hy_cumsum_params *params, const HY_T *in, HY_T *out)
{
    const size_t count = params->lines.count, inner = params->lines.inner;
    SUM_T sum = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t at = (params->reverse ? count - 1 - i : i) * inner;
        const SUM_T x = LOAD(in[at]);
        out[at] = STORE(params->exclusive ? sum : sum + x);
        sum += x;
    }
}

void HY_FN(cumsum)(const struct hy_cumsum_params *params, const void *in, void *out)
{
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t i = 0; i < hy_lines_number(&params->lines); i++) {
        const size_t begin = hy_line_begin(&params->lines, i);
        if (hy_stop_after(watch, params->lines.count))
            return;
        sum_line(params, (const HY_T *)in + begin, (HY_T *)out + begin);
    }
}
