#ifndef HY_CPU_FALLBACK_KERNELS_FAST_UNROLL_H
#define HY_CPU_FALLBACK_KERNELS_FAST_UNROLL_H

/*
 * Kernels are instantiated by inlining functions with constant counts; loops over rows and vectors
 * must unroll, or what they sum up would not stay in registers. Sanitizers look at each access and
 * take minutes to compile all of these: they get one instance, with loops.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HY_IS_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HY_IS_SANITIZED
#endif

#if defined(HY_IS_SANITIZED)
#define HY_ALWAYS_INLINE static __attribute__((noinline, unused))
#define HY_UNROLL(times)
#else
#define HY_ALWAYS_INLINE   static inline __attribute__((always_inline))
#define HY_UNROLL(times)   HY_UNROLL_AS(GCC unroll times)
#define HY_UNROLL_AS(text) _Pragma(#text)
#endif

#endif
