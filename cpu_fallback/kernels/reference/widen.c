#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"

#define NARROW(name, convert, member) \
    void HY_FN(name)(size_t count, const union hy_wide_element *in, void *out) \
    { \
        HY_T *results = out; \
\
        for (size_t i = 0; i < count; i++) \
            results[i] = convert(in[i].member); \
    }

#define WIDEN(member, load) \
    void HY_FN(widen)(size_t count, const void *in, union hy_wide_element *out) \
    { \
        const HY_T *values = in; \
\
        for (size_t i = 0; i < count; i++) \
            out[i].member = load(values[i]); \
    }

#if HY_IS_FLOAT
/* double for float64, float for the other types */
#define OF_REAL(x)     HY_STORE((HY_REAL)(x))
#define OF_UNSIGNED(x) HY_STORE((HY_REAL)(uint64_t)(x))

WIDEN(real, (double)HY_LOAD)
NARROW(narrow_real, OF_REAL, real)
NARROW(narrow_signed, OF_REAL, integer)
NARROW(narrow_unsigned, OF_UNSIGNED, integer)
#elif defined(HY_BOOL)
#define IS_TRUE(x) ((x) != 0)

WIDEN(integer, IS_TRUE)
NARROW(narrow_real, IS_TRUE, real)
NARROW(narrow_integer, IS_TRUE, integer)
#else
#define IS_SIGNED ((HY_T)-1 < 1)
#define BITS      (8 * sizeof(HY_T))

static HY_T of_real(double x)
{
    const HY_T most = (HY_T)(UINT64_MAX >> (64 - BITS + IS_SIGNED));
    const HY_T least = (HY_T)(IS_SIGNED ? -(int64_t)most - 1 : 0);

    if (!(x > (double)least))
        return x == x ? least : 0;
    return x >= (double)most ? most : (HY_T)x; /* for 64 bits, (double)most is most + 1 */
}

WIDEN(integer, (int64_t))
NARROW(narrow_real, of_real, real)
NARROW(narrow_integer, (HY_T), integer)
#endif
