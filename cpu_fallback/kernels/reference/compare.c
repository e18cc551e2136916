#include "cpu_fallback/kernels/reference/binary_rows.h"
#include "cpu_fallback/kernels/reference/reference.h"

/* EQUAL and the other comparisons. */

#if HY_IS_FLOAT
typedef HY_REAL value_type;
#define A_VALUE(stored) HY_LOAD(stored)
#define B_VALUE(stored) HY_LOAD(stored)
#elif HY_IS_QUANT
typedef float value_type;
#define A_VALUE(stored) (params->a_scale * (float)((stored)-params->a_zero_point))
#define B_VALUE(stored) (params->b_scale * (float)((stored)-params->b_zero_point))
#else
typedef HY_T value_type;
#define A_VALUE(stored) (stored)
#define B_VALUE(stored) (stored)
#endif

/* Keeps the compiler from vectorising: narrowing the results would make the code ten times as
 * long. */
#define STAY_SCALAR() __asm__ volatile("")

#define COMPARISON(name, op) \
    static uint8_t name##_one(const struct hy_binary_params *params, HY_T a, HY_T b) \
    { \
        value_type x = A_VALUE(a), y = B_VALUE(b); \
        (void)params; \
        STAY_SCALAR(); \
        return x op y; \
    } \
    HY_BINARY_KERNEL(name, uint8_t, name##_one)

COMPARISON(equal, ==)
COMPARISON(not_equal, !=)
COMPARISON(less, <)
COMPARISON(less_equal, <=)
COMPARISON(greater, >)
COMPARISON(greater_equal, >=)
