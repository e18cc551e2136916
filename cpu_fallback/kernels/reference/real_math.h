#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_REAL_MATH_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_REAL_MATH_H

#include <math.h>

#include "cpu_fallback/kernels/element.h"

/* The function of the C library for the computing type of the template: HY_MATH(exp)(x). */
#if defined(HY_F64)
#define HY_MATH(name) name
#else
#define HY_MATH(name) name##f
#endif

#endif
