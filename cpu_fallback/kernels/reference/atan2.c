#include <math.h>

#include "cpu_fallback/kernels/flush.h"
#include "cpu_fallback/kernels/reference/binary_rows.h"
#include "cpu_fallback/kernels/reference/reference.h"

static HY_T atan2_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    (void)params;
#ifdef HY_F64
    return atan2(a, b);
#else
    return HY_STORE(atan2f(hy_flush(HY_LOAD(a)), hy_flush(HY_LOAD(b))));
#endif
}
HY_BINARY_KERNEL(atan2, HY_T, atan2_one)
