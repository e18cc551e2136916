#ifndef HY_CPU_FALLBACK_KERNELS_ELEMENT_H
#define HY_CPU_FALLBACK_KERNELS_ELEMENT_H

#include <stdint.h>

#include "common/bfloat.h"
#include "common/half.h"

/*
 * The element type of a kernel template. Every template is compiled once per type, with one of
 * HY_F32, HY_F16, HY_I32, HY_U8, HY_S8, HY_BOOL, HY_S16, HY_U16, HY_U8_S8, or, for types NNAPI
 * lacks, HY_BF16, HY_F64, HY_I8, HY_I16, HY_I64, HY_N8, HY_N16, HY_N32, HY_N64 defined by the
 * build. A template that only moves elements is compiled per size: HY_SIZE1, HY_SIZE2, HY_SIZE4,
 * HY_SIZE8.
 *
 *   HY_FN(name)  the function's name in this variant: hy_name_f32
 *   HY_T         the stored type of a tensor
 *   HY_FILTER_T  the stored type of a filter (quantised types only)
 *   HY_REAL      the type in which float kernels compute
 *   HY_LOAD(x), HY_STORE(x)  conversions between stored and computed values of float types
 *   HY_WRAP_T    the unsigned type in which integers compute modulo 2^n, not narrower than int
 *   HY_IS_FLOAT, HY_IS_QUANT  1 or 0, for families whose types differ in one expression only
 */
#if defined(HY_F32)
#define HY_SUFFIX   f32
#define HY_T        float
#define HY_IS_FLOAT 1
#define HY_IS_QUANT 0
#define HY_REAL     float
#define HY_LOAD(x)  (x)
#define HY_STORE(x) (x)
#elif defined(HY_F64)
#define HY_SUFFIX   f64
#define HY_T        double
#define HY_IS_FLOAT 1
#define HY_IS_QUANT 0
#define HY_REAL     double
#define HY_LOAD(x)  (x)
#define HY_STORE(x) (x)
#elif defined(HY_BF16)
#define HY_SUFFIX   bf16
#define HY_T        uint16_t
#define HY_IS_FLOAT 1
#define HY_IS_QUANT 0
#define HY_REAL     float
#define HY_LOAD(x)  hy_bfloat_to_float(x)
#define HY_STORE(x) hy_bfloat_from_float(x)
#elif defined(HY_F16)
#define HY_SUFFIX   f16
#define HY_T        uint16_t
#define HY_IS_FLOAT 1
#define HY_IS_QUANT 0
#define HY_REAL     float
#define HY_LOAD(x)  hy_half_to_float(x)
#define HY_STORE(x) hy_half_from_float(x)
#elif defined(HY_I32)
#define HY_SUFFIX   i32
#define HY_T        int32_t
#define HY_WRAP_T   uint32_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 0
#elif defined(HY_I8)
#define HY_SUFFIX   i8
#define HY_T        int8_t
#define HY_WRAP_T   uint32_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 0
#elif defined(HY_I16)
#define HY_SUFFIX   i16
#define HY_T        int16_t
#define HY_WRAP_T   uint32_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 0
#elif defined(HY_I64)
#define HY_SUFFIX   i64
#define HY_T        int64_t
#define HY_WRAP_T   uint64_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 0
#elif defined(HY_N8)
#define HY_SUFFIX   n8
#define HY_T        uint8_t
#define HY_WRAP_T   uint32_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 0
#elif defined(HY_N16)
#define HY_SUFFIX   n16
#define HY_T        uint16_t
#define HY_WRAP_T   uint32_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 0
#elif defined(HY_N32)
#define HY_SUFFIX   n32
#define HY_T        uint32_t
#define HY_WRAP_T   uint32_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 0
#elif defined(HY_N64)
#define HY_SUFFIX   n64
#define HY_T        uint64_t
#define HY_WRAP_T   uint64_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 0
#elif defined(HY_U8)
#define HY_SUFFIX   u8
#define HY_T        uint8_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 1
#define HY_FILTER_T uint8_t
#elif defined(HY_S8)
#define HY_SUFFIX   s8
#define HY_T        int8_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 1
#define HY_FILTER_T int8_t
#elif defined(HY_BOOL)
#define HY_SUFFIX   bool8
#define HY_T        uint8_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 0
#elif defined(HY_S16)
#define HY_SUFFIX   s16
#define HY_T        int16_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 1
#define HY_FILTER_T int8_t
#elif defined(HY_U16)
#define HY_SUFFIX   u16
#define HY_T        uint16_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 1
#elif defined(HY_U8_S8)
#define HY_SUFFIX   u8_s8
#define HY_T        uint8_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 1
#define HY_FILTER_T int8_t
#elif defined(HY_SIZE1)
#define HY_SUFFIX   size1
#define HY_T        uint8_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 0
#elif defined(HY_SIZE2)
#define HY_SUFFIX   size2
#define HY_T        uint16_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 0
#elif defined(HY_SIZE4)
#define HY_SUFFIX   size4
#define HY_T        uint32_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 0
#elif defined(HY_SIZE8)
#define HY_SUFFIX   size8
#define HY_T        uint64_t
#define HY_IS_FLOAT 0
#define HY_IS_QUANT 0
#else
#error "compile kernel templates with an element type"
#endif

#define HY_JOIN_(name, suffix) hy_##name##_##suffix
#define HY_JOIN(name, suffix)  HY_JOIN_(name, suffix)
#define HY_FN(name)            HY_JOIN(name, HY_SUFFIX)

#endif
