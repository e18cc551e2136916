#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"

void HY_FN(rescale)(const struct hy_rescale_params *params, const void *in, void *out)
{
    const HY_T *values = in;
    HY_T *results = out;

    for (size_t i = 0; i < params->count; i++)
        results[i] = (HY_T)hy_rescale_one(params, values[i]);
}
