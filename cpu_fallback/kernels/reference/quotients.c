#include <math.h>

#include "cpu_fallback/kernels/flush.h"
#include "cpu_fallback/kernels/reference/binary_rows.h"
#include "cpu_fallback/kernels/reference/reference.h"

/* DIV of whole numbers, FLOOR_DIV, FLOOR_MOD and TRUNCATE_MOD. */

#define QUOTIENT(name) HY_BINARY_KERNEL(name, HY_T, name##_one)

#if HY_IS_FLOAT
#ifdef HY_F64
#define FN(name) name
#define VALUE(x) (x)
#else
#define FN(name) name##f
#define VALUE(x) hy_flush(HY_LOAD(x))
#endif

static HY_T floor_div_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    (void)params;
    return HY_STORE(FN(floor)(HY_LOAD(a) / HY_LOAD(b)));
}

static HY_T truncate_mod_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    (void)params;
    return HY_STORE(FN(fmod)(VALUE(a), VALUE(b)));
}

static HY_T floor_mod_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    const HY_REAL divisor = VALUE(b), rest = FN(fmod)(VALUE(a), divisor);

    (void)params;
    return HY_STORE(rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest);
}

QUOTIENT(truncate_mod)
#elif defined(HY_I8) || defined(HY_I16) || defined(HY_I32) || defined(HY_I64)
/* The smallest number divided by -1 wraps around to itself. */
static HY_T truncate_div_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    (void)params;
    if (b == -1)
        return (HY_T)(0 - (HY_WRAP_T)a);
    return (HY_T)(b == 0 ? 0 : a / b);
}

static HY_T truncate_mod_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    (void)params;
    return (HY_T)(b == 0 ? a : b == -1 ? 0 : a % b);
}

/* Whether the quotient rounded down is one below the quotient rounded towards 0. */
static bool is_below(HY_T rest, HY_T b)
{
    return b != 0 && rest != 0 && (rest < 0) != (b < 0);
}

static HY_T floor_div_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    const HY_T quotient = truncate_div_one(params, a, b), rest = truncate_mod_one(params, a, b);
    return is_below(rest, b) ? (HY_T)(quotient - 1) : quotient;
}

static HY_T floor_mod_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    const HY_T rest = truncate_mod_one(params, a, b);
    return is_below(rest, b) ? (HY_T)(rest + b) : rest;
}

QUOTIENT(truncate_div)
QUOTIENT(truncate_mod)
#else
static HY_T floor_div_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    (void)params;
    return (HY_T)(b == 0 ? 0 : a / b);
}

static HY_T floor_mod_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    (void)params;
    return (HY_T)(b == 0 ? a : a % b);
}
#endif

QUOTIENT(floor_div)
QUOTIENT(floor_mod)
