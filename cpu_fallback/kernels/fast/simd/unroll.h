#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_UNROLL_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_UNROLL_H

/*
 * Kernels are instantiated by inlining functions with constant counts; loops over rows and vectors
 * must unroll, or what they sum up would not stay in registers. Sanitizers look at each access and
 * take minutes to compile all of these: they get one instance, with loops.
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
 * HY_UNROLL: the count of the loop below is constant in every instance, `times` at most; no loop is
 * left. HY_UNROLL_IF_KNOWN: it is constant in some instances only. HY_ROLLED: the loop takes little
 * of the time, and stays one.
 *
 * clang optimizes functions before it inlines them. Given a number, it unrolls by it right then:
 * the constant that comes later is lower, and all that runs is a loop that clang added for the rest
 * and never unrolls. Asked to unroll in full it waits for the constant, and warns where none comes.
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
