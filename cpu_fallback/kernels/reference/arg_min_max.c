#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

#if HY_IS_FLOAT
#define VALUE(x) HY_LOAD(x)
#elif defined(HY_BOOL)
#define VALUE(x) ((x) != 0)
#else
#define VALUE(x) (x)
#endif

#define ARG_MIN_MAX(name, operator) \
    static size_t name##_line(const HY_T *line, size_t count, size_t step) \
    { \
        size_t best = 0; \
\
        for (size_t i = 1; i < count; i++) \
            if (VALUE(line[i * step]) operator VALUE(line[best * step])) \
                best = i; \
        return best; \
    } \
\
    void HY_FN(name)(const struct hy_lines *lines, const void *in, int32_t *out) \
    { \
        struct hy_stop_watch *watch = hy_stop_here(); \
\
        for (size_t i = 0; i < hy_lines_number(lines); i++) { \
            if (hy_stop_after(watch, lines->count)) \
                return; \
            out[i] = (int32_t)name##_line((const HY_T *)in + hy_line_begin(lines, i), \
                                          lines->count, lines->inner); \
        } \
    }

ARG_MIN_MAX(arg_max, >)
ARG_MIN_MAX(arg_min, <)
ARG_MIN_MAX(arg_max_last, >=)
ARG_MIN_MAX(arg_min_last, <=)
