#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"

/* The template's type is the output type; each input type has a function of its own. */
#define DEQUANTIZE(from, type) \
    void HY_FN(dequantize_##from)(const struct hy_dequantize_params *params, const void *in, \
                                  void *out) \
    { \
        const type *values = in; \
        HY_T *results = out; \
\
        for (size_t o = 0; o < params->outer; o++) \
            for (size_t c = 0; c < params->channels; c++) \
                for (size_t i = 0; i < params->inner; i++) \
                    *results++ = HY_STORE((HY_REAL)params->scales[c] * \
                                          (HY_REAL)(*values++ - params->zero_point)); \
    }

DEQUANTIZE(u8, uint8_t)
DEQUANTIZE(s8, int8_t)
DEQUANTIZE(u16, uint16_t)
DEQUANTIZE(s16, int16_t)
DEQUANTIZE(i32, int32_t)
