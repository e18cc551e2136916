#ifndef HY_CPU_FALLBACK_RUN_FLOAT_MODE_H
#define HY_CPU_FALLBACK_RUN_FLOAT_MODE_H

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif !defined(__aarch64__)
#include <fenv.h>
#endif

/*
 * The floating-point mode of a thread. Both CPU devices compute in the same mode, whatever the app
 * has set on its threads: round to nearest, no traps, and subnormal operands and results count as
 * zeros of the same sign. Many processors take a hundred times as long for arithmetic with
 * subnormal numbers. Processors other than x86-64 and AArch64 have no common way to request zeros,
 * and keep subnormal numbers.
 *
 * A control register is written only if its value changes, since a write can take longer than the
 * rest of a small execution.
 */

#if defined(__x86_64__)

/* All exceptions masked, to nearest, DAZ and FTZ. */
#define HY_FLOAT_MXCSR 0x9fc0u

struct hy_float_mode {
    uint32_t control; /* MXCSR, flags included */
};

static inline struct hy_float_mode hy_float_mode_enter(void)
{
    const struct hy_float_mode before = {_mm_getcsr()};

    if (before.control != HY_FLOAT_MXCSR)
        _mm_setcsr(HY_FLOAT_MXCSR);
    return before;
}

static inline void hy_float_mode_leave(struct hy_float_mode before)
{
    if (_mm_getcsr() != before.control)
        _mm_setcsr(before.control);
}

#elif defined(__aarch64__)

/* No traps, to nearest, FZ. Halves keep their subnormal numbers: FZ16 is clear. */
#define HY_FLOAT_FPCR (UINT64_C(1) << 24)

struct hy_float_mode {
    uint64_t control; /* FPCR */
    uint64_t flags;   /* FPSR */
};

static inline struct hy_float_mode hy_float_mode_enter(void)
{
    struct hy_float_mode before;

    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(before.control), "=r"(before.flags));
    if (before.control != HY_FLOAT_FPCR)
        __asm__ volatile("msr fpcr, %0" : : "r"(HY_FLOAT_FPCR) : "memory");
    return before;
}

static inline void hy_float_mode_leave(struct hy_float_mode before)
{
    if (before.control != HY_FLOAT_FPCR)
        __asm__ volatile("msr fpcr, %0" : : "r"(before.control) : "memory");
    __asm__ volatile("msr fpsr, %0" : : "r"(before.flags) : "memory");
}

#else

struct hy_float_mode {
    fenv_t environment;
};

static inline struct hy_float_mode hy_float_mode_enter(void)
{
    struct hy_float_mode before;

    (void)feholdexcept(&before.environment);
    (void)fesetround(FE_TONEAREST);
    return before;
}

static inline void hy_float_mode_leave(struct hy_float_mode before)
{
    (void)fesetenv(&before.environment);
}

#endif

#endif
