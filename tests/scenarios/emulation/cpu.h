#ifndef HY_TESTS_SCENARIOS_EMULATION_CPU_H
#define HY_TESTS_SCENARIOS_EMULATION_CPU_H

#include <stdbool.h>
#include <string.h>

/* Included before isa_levels.c (-include). The emulated processor has all AVX-512 features but
 * VBMI, since no VBMI kernel is emulated. With EMULATES_TILES the processor has AMX, too. AVX2 and
 * FMA are as on the real machine; the processor has no other features. */
static inline bool emulated_cpu_supports(const char *feature)
{
    if (strcmp(feature, "avx2") == 0)
        return __builtin_cpu_supports("avx2");
    if (strcmp(feature, "fma") == 0)
        return __builtin_cpu_supports("fma");
    return strncmp(feature, "avx512", 6) == 0 && strcmp(feature, "avx512vbmi") != 0;
}
#define __builtin_cpu_supports(feature) emulated_cpu_supports(feature)

static inline bool emulated_tiles_exist(void)
{
#if defined(EMULATES_TILES)
    return true;
#else
    return false;
#endif
}
#define hy_tiles_exist emulated_tiles_exist

#endif
