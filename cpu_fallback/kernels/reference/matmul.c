#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/fixed_point_wide.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

#if HY_IS_FLOAT
typedef HY_REAL sum_type;

static sum_type product(const struct hy_matmul_params *params, HY_T a, HY_T b)
{
    (void)params;
    return HY_LOAD(a) * HY_LOAD(b);
}

static HY_T finish(const struct hy_matmul_params *params, sum_type sum)
{
    (void)params;
    return HY_STORE(sum);
}
#elif HY_IS_QUANT
typedef int64_t sum_type;

static sum_type product(const struct hy_matmul_params *params, HY_T a, HY_T b)
{
    return (a - params->lhs_zero_point) * (b - params->rhs_zero_point);
}

static HY_T finish(const struct hy_matmul_params *params, sum_type sum)
{
#if defined(HY_S16)
    return (HY_T)hy_clamp_int32(hy_scale_wide(sum, params->multiplier), INT16_MIN, INT16_MAX);
#else
    int64_t scaled = hy_scale_sum_half_up(sum, params->multiplier);
    return (HY_T)hy_clamp_int32(scaled + params->out_zero_point, INT8_MIN, INT8_MAX);
#endif
}
#else
typedef HY_WRAP_T sum_type; /* wraps around, with defined behaviour */

static sum_type product(const struct hy_matmul_params *params, HY_T a, HY_T b)
{
    (void)params;
    return (sum_type)a * (sum_type)b;
}

static HY_T finish(const struct hy_matmul_params *params, sum_type sum)
{
    (void)params;
    return (HY_T)sum;
}
#endif

static void multiply(const struct hy_matmul_params *params, const HY_T *lhs, const HY_T *rhs,
                     HY_T *out)
{
    size_t lhs_step = params->lhs.column_stride, rhs_step = params->rhs.row_stride;
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t r = 0; r < params->rows; r++)
        for (size_t c = 0; c < params->columns; c++) {
            if (hy_stop_after(watch, params->depth))
                return;
            const HY_T *row = lhs + r * params->lhs.row_stride;
            const HY_T *column = rhs + c * params->rhs.column_stride;
            sum_type sum = 0;
            for (size_t i = 0; i < params->depth; i++)
                sum += product(params, row[i * lhs_step], column[i * rhs_step]);
            *out++ = finish(params, sum);
        }
}

void HY_FN(matmul)(const struct hy_matmul_params *params, const void *lhs, const void *rhs,
                   void *out)
{
    const size_t count = hy_matmul_count(params);
    HY_T *result = out;

    for (size_t i = 0; i < count && !hy_stop_after(hy_stop_here(), 1); i++) {
        multiply(params, (const HY_T *)lhs + hy_matmul_at(params, &params->lhs, i),
                 (const HY_T *)rhs + hy_matmul_at(params, &params->rhs, i), result);
        result += params->rows * params->columns;
    }
}
