#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"

#if defined(HY_SIZE1)
#define VALUE(side, stored) (params->side##_table ? params->side##_table[stored] : (stored))
#else
#define VALUE(side, stored) (stored)
#endif

void HY_FN(select)(const struct hy_select_params *params, const void *condition, const void *a,
                   const void *b, void *out)
{
    const size_t condition_step = !params->condition_repeats;
    const size_t a_step = !params->a_repeats, b_step = !params->b_repeats;
    const uint8_t *is_a = condition;
    const HY_T *a_values = a, *b_values = b;
    HY_T *results = out;

    for (size_t i = 0; i < params->count; i++)
        results[i] = is_a[i * condition_step] ? VALUE(a, a_values[i * a_step])
                                              : VALUE(b, b_values[i * b_step]);
}
