#include "cpu_fallback/kernels/reference/binary_rows.h"
#include "cpu_fallback/kernels/reference/reference.h"

/* MAXIMUM and MINIMUM. */

#if HY_IS_FLOAT
typedef HY_REAL value_type;
#define A_VALUE(stored) HY_LOAD(stored)
#define B_VALUE(stored) HY_LOAD(stored)
#define RESULT(value)   HY_STORE(value)
#elif HY_IS_QUANT
typedef HY_T value_type; /* all tensors have the quantisation of the output */
#define CONVERTED(table, stored) ((table) ? (HY_T)(table)[(uint8_t)(stored)] : (stored))
#define A_VALUE(stored)          CONVERTED(params->a_table, stored)
#define B_VALUE(stored)          CONVERTED(params->b_table, stored)
#define RESULT(value)            (value)
#else
typedef HY_T value_type;
#define A_VALUE(stored) (stored)
#define B_VALUE(stored) (stored)
#define RESULT(value)   (value)
#endif

#define MIN_MAX(name, op) \
    static HY_T name##_one(const struct hy_binary_params *params, HY_T a, HY_T b) \
    { \
        value_type x = A_VALUE(a), y = B_VALUE(b); \
        (void)params; \
        return RESULT(y op x ? y : x); \
    } \
    HY_BINARY_KERNEL(name, HY_T, name##_one)

MIN_MAX(maximum, >)
MIN_MAX(minimum, <)
