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

static size_t offset_of(const struct hy_cumsum_params *params, size_t index)
{
    return (params->reverse ? params->lines.count - 1 - index : index) * params->lines.inner;
}

static void sum_line(const struct hy_cumsum_params *params, const HY_T *in, HY_T *out)
{
    SUM_T sum = 0;

    for (size_t i = 0; i < params->lines.count; i++) {
        const size_t at = offset_of(params, i);
        const SUM_T x = LOAD(in[at]);
        out[at] = STORE(params->exclusive ? sum : sum + x);
        sum += x;
    }
}

/* Several lines side by side are faster, unless the sum type has more digits than the stored
 * type. */
#if defined(HY_F16) || defined(HY_BF16)
#define IS_INTERLEAVED(lines) ((void)(lines), false)
#else
#define IS_INTERLEAVED(lines) ((lines) >= 4)
#endif

/* The previous outputs are the sums so far. */
static void sum_interleaved(const struct hy_cumsum_params *params, const HY_T *in, HY_T *out)
{
    size_t last = offset_of(params, 0);

    for (size_t j = 0; j < params->lines.inner; j++)
        out[last + j] = params->exclusive ? 0 : in[last + j];
    for (size_t i = 1; i < params->lines.count; i++) {
        const size_t at = offset_of(params, i), added = params->exclusive ? last : at;
        for (size_t j = 0; j < params->lines.inner; j++)
            out[at + j] = STORE(LOAD(out[last + j]) + LOAD(in[added + j]));
        last = at;
    }
}

void HY_FN(cumsum)(const struct hy_cumsum_params *params, const void *in, void *out)
{
    const size_t inner = params->lines.inner, size = params->lines.count * inner;
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t i = 0; i < params->lines.outer && size > 0; i++) {
        const HY_T *from = (const HY_T *)in + i * size;
        HY_T *to = (HY_T *)out + i * size;
        if (hy_stop_after(watch, size))
            return;
        if (IS_INTERLEAVED(inner))
            sum_interleaved(params, from, to);
        else
            for (size_t j = 0; j < inner; j++)
                sum_line(params, from + j, to + j);
    }
}
