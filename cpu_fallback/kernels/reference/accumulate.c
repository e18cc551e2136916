#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"

#if HY_IS_FLOAT
#define SUM(a, b) HY_STORE(HY_LOAD(a) + HY_LOAD(b))
#elif defined(HY_BOOL)
#define SUM(a, b) ((a) != 0 || (b) != 0)
#else
#define SUM(a, b) ((a) + (b)) /* HY_T is an unsigned integer of the element size */
#endif

void HY_FN(accumulate)(size_t count, const void *in, void *sums)
{
    const HY_T *terms = in;
    HY_T *totals = sums;

    for (size_t i = 0; i < count; i++)
        totals[i] = (HY_T)SUM(totals[i], terms[i]);
}
