#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_NORMALISE_LINES_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_NORMALISE_LINES_H

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/normalise.h"
#include "cpu_fallback/kernels/stop.h"

/*
 * Defines the kernel hy_<name>_<type>, with a call for each line of
 *     void one(const struct hy_normalise_params *params, const HY_T *in, HY_T *out)
 */
#define HY_NORMALISE_KERNEL(name, one) \
    void HY_FN(name)(const struct hy_normalise_params *params, const void *in, void *out) \
    { \
        struct hy_stop_watch *watch = hy_stop_here(); \
\
        for (size_t i = 0; i < hy_lines_number(&params->lines); i++) { \
            if (hy_stop_after(watch, params->lines.count)) \
                return; \
            size_t begin = hy_line_begin(&params->lines, i); \
            one(params, (const HY_T *)in + begin, (HY_T *)out + begin); \
        } \
    }

#endif
