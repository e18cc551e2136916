#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference.h"

#if HY_IS_FLOAT
#define VALUE(x) HY_LOAD(x)
#else
#define VALUE(x) (x)
#endif

#define ARG_EXTREME(name, operator) \
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
        for (size_t i = 0; i < hy_lines_number(lines); i++) \
            out[i] = (int32_t)name##_line((const HY_T *)in + hy_line_begin(lines, i), \
                                          lines->count, lines->inner); \
    }

ARG_EXTREME(arg_max, >)
ARG_EXTREME(arg_min, <)
