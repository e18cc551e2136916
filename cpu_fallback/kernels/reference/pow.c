#include <math.h>

#include "cpu_fallback/kernels/flush.h"
#include "cpu_fallback/kernels/reference/binary_rows.h"
#include "cpu_fallback/kernels/reference/reference.h"

static HY_T pow_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    (void)params;
    return HY_STORE(powf(hy_flush(HY_LOAD(a)), hy_flush(HY_LOAD(b))));
}
HY_BINARY_KERNEL(pow, HY_T, pow_one)
