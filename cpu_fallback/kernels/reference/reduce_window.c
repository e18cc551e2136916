#include <stdbool.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

#if HY_IS_FLOAT
#define VALUE_T   HY_REAL
#define LOAD(x)   HY_LOAD(x)
#define STORE(x)  HY_STORE(x)
#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#elif !defined(HY_BOOL)
#define VALUE_T   HY_T
#define LOAD(x)   (x)
#define STORE(x)  (x)
#define ADD(a, b) (HY_T)((HY_WRAP_T)(a) + (HY_WRAP_T)(b))
#define MUL(a, b) (HY_T)((HY_WRAP_T)(a) * (HY_WRAP_T)(b))
#else
#define VALUE_T  HY_T
#define LOAD(x)  (HY_T)((x) != 0)
#define STORE(x) (x)
#endif

static VALUE_T joined(enum hy_window_function function, VALUE_T a, VALUE_T b)
{
#if defined(HY_BOOL)
    return function == HY_WINDOW_ALL ? a & b : a | b;
#else
    switch (function) {
    case HY_WINDOW_ADD:
        return ADD(a, b);
    case HY_WINDOW_MUL:
        return MUL(a, b);
    case HY_WINDOW_MIN:
        return b < a ? b : a;
    default:
        return b > a ? b : a;
    }
#endif
}

/* Advances to the next index of `loops` and its offset. Returns false after the last index. */
static bool advance(const struct hy_loops *loops, uint32_t rank, size_t *index, size_t *at)
{
    for (uint32_t d = rank; d-- > 0;) {
        *at += loops->strides[d];
        if (++index[d] < loops->dims[d])
            return true;
        *at -= loops->dims[d] * loops->strides[d];
        index[d] = 0;
    }
    return false;
}

static VALUE_T of_window(const struct hy_reduce_window_params *params, const HY_T *in,
                         VALUE_T value, struct hy_stop_watch *watch)
{
    size_t index[HY_MAX_RANK] = {0}, at = 0;

    do
        value = joined(params->function, value, LOAD(in[at]));
    while (!hy_stop_after(watch, 4) && advance(&params->window, params->rank, index, &at));
    return value;
}

void HY_FN(reduce_window)(const struct hy_reduce_window_params *params, const void *in,
                          const void *start, void *out)
{
    const VALUE_T value = LOAD(*(const HY_T *)start);
    struct hy_stop_watch *watch = hy_stop_here();
    size_t index[HY_MAX_RANK] = {0}, at = 0;
    HY_T *result = out;

    do
        *result++ = STORE(of_window(params, (const HY_T *)in + at, value, watch));
    while (!hy_stop_after(watch, 1) && advance(&params->positions, params->rank, index, &at));
}
