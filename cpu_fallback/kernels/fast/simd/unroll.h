#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_UNROLL_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_UNROLL_H

/*
 * Kernels are instantiated by inlining functions with constant counts. Loops over rows and vectors
 * must unroll, otherwise the sums would not stay in registers. Sanitizers check each access and
 * would take minutes to compile all instances, so sanitized builds have one instance with loops.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(undefined_behavior_sanitizer)
#define HY_IS_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HY_IS_SANITIZED
#endif

/*
 * HY_UNROLL: the loop below has a constant count in every instance, at most `times`, and is
 * unrolled completely. HY_UNROLL_IF_KNOWN: the count is constant in some instances only. HY_ROLLED:
 * the loop takes little of the time and stays a loop.
 *
 * clang optimizes functions before inlining. With a number in the pragma, clang unrolls by the
 * number before inlining. The constant found later is lower, and the only code that runs is a
 * remainder loop added by clang and never unrolled. With a full unroll in the pragma, clang waits
 * for the constant and warns if the count is never constant.
 */
#if defined(HY_IS_SANITIZED)
#define HY_ALWAYS_INLINE static __attribute__((noinline, unused))
#define HY_UNROLL(times)
#define HY_UNROLL_IF_KNOWN(times)
#define HY_ROLLED
#else
#define HY_ALWAYS_INLINE   static inline __attribute__((always_inline))
#define HY_UNROLL_AS(text) _Pragma(#text)
#if defined(__clang__)
#define HY_UNROLL(times) HY_UNROLL_AS(clang loop unroll(full))
#define HY_UNROLL_IF_KNOWN(times)
#define HY_ROLLED HY_UNROLL_AS(clang loop unroll(disable))
#else
#define HY_UNROLL(times)          HY_UNROLL_AS(GCC unroll times)
#define HY_UNROLL_IF_KNOWN(times) HY_UNROLL(times)
#define HY_ROLLED                 HY_UNROLL(1)
#endif
#endif

#endif
