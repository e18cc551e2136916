#ifndef HY_CPU_FALLBACK_KERNELS_INTEGER_LIMITS_H
#define HY_CPU_FALLBACK_KERNELS_INTEGER_LIMITS_H

#include "cpu_fallback/kernels/element.h"

/* The least and the largest number of the integer type of a template, and the 64-bit type of the
 * same signedness. HY_IS_NATURAL is defined for unsigned types. */
#if defined(HY_N8) || defined(HY_N16) || defined(HY_N32) || defined(HY_N64)
#define HY_IS_NATURAL
#define HY_LEAST    ((HY_T)0)
#define HY_MOST     ((HY_T)-1)
#define HY_WIDEST_T uint64_t
#else
#define HY_MOST     ((HY_T)((HY_WRAP_T)-1 >> (8 * (sizeof(HY_WRAP_T) - sizeof(HY_T)) + 1)))
#define HY_LEAST    ((HY_T)(-HY_MOST - 1))
#define HY_WIDEST_T int64_t
#endif

#endif
