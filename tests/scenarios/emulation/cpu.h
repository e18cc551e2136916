#ifndef HY_TESTS_SCENARIOS_EMULATION_CPU_H
#define HY_TESTS_SCENARIOS_EMULATION_CPU_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Included before isa_levels.c (-include). The emulated processor has all AVX-512 features but
 * VBMI, since no VBMI kernel is emulated. It has AMX, too, unless HALYARD_TEST_KERNELS names
 * another set. AVX2 and FMA are as on the real machine; the processor has no other features. */
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
    const char *set = getenv("HALYARD_TEST_KERNELS");
    return !set || strcmp(set, "amx") == 0;
}
#define hy_tiles_exist emulated_tiles_exist

#endif
