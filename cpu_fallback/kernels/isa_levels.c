#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#if defined(HY_KERNELS_X86)
#include <cpuid.h>
#elif defined(HY_KERNELS_ARM64)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/tile_permission.h"

#if defined(HY_KERNELS_X86)
/* Some supported compilers do not know F16C by name. */
static bool cpu_has_f16c(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_F16C;
}

static bool cpu_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && cpu_has_f16c();
}

/* Some supported compilers do not know these by name. The first is VNNI in the AVX-VNNI
 * encoding. */
static bool cpu_has_vex_vnni(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && eax & 1u << 4;
}

static bool cpu_has_evex_vnni(void)
{
    return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

static bool cpu_has_avxvnni(void)
{
    return cpu_has_vex_vnni() || cpu_has_evex_vnni();
}

static void add_avxvnni(struct hy_kernel_table *table)
{
    if (cpu_has_vex_vnni())
        hy_kernels_add_avxvnni(table);
    else
        hy_kernels_add_vnni256(table);
}

static bool cpu_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vnni");
}

static void add_avx512(struct hy_kernel_table *table)
{
    hy_kernels_add_avx512(table);
    if (__builtin_cpu_supports("avx512vbmi"))
        hy_kernels_add_avx512vbmi(table);
}

/* Only whether tiles exist. Permission is requested when an operation needs tiles. */
static bool cpu_has_amx(void)
{
    return hy_tiles_exist();
}
#elif defined(HY_KERNELS_ARM64)
static bool cpu_has_neon(void)
{
    return getauxval(AT_HWCAP) & HWCAP_ASIMD;
}

static bool cpu_has_dotprod(void)
{
    return getauxval(AT_HWCAP) & HWCAP_ASIMDDP;
}

static bool cpu_has_i8mm(void)
{
    return getauxval(AT_HWCAP2) & HWCAP2_I8MM;
}
#endif

#if defined(HY_KERNELS_X86)
#define ON_X86(set, add) cpu_has_##set, add
#else
#define ON_X86(set, add) NULL, NULL
#endif
#if defined(HY_KERNELS_ARM64)
#define ON_ARM64(set) cpu_has_##set, hy_kernels_add_##set
#else
#define ON_ARM64(set) NULL, NULL
#endif

static const struct {
    const char *name;
    enum hy_kernel_isa_level base; /* also required; provides the kernels this level lacks */
    bool (*cpu_has)(void);         /* NULL: not in this build */
    void (*add_kernels)(struct hy_kernel_table *table);
} isa_levels[HY_KERNEL_ISA_LEVEL_COUNT] = {
    [HY_KERNEL_REFERENCE] = {.name = "reference"},
    [HY_KERNEL_AVX2] = {"avx2", HY_KERNEL_REFERENCE, ON_X86(avx2, hy_kernels_add_avx2)},
    [HY_KERNEL_AVXVNNI] = {"avxvnni", HY_KERNEL_AVX2, ON_X86(avxvnni, add_avxvnni)},
    [HY_KERNEL_AVX512] = {"avx512", HY_KERNEL_AVX2, ON_X86(avx512, add_avx512)},
    [HY_KERNEL_AMX] = {"amx", HY_KERNEL_AVX512, ON_X86(amx, hy_kernels_add_amx)},
    [HY_KERNEL_NEON] = {"neon", HY_KERNEL_REFERENCE, ON_ARM64(neon)},
    [HY_KERNEL_DOTPROD] = {"dotprod", HY_KERNEL_NEON, ON_ARM64(dotprod)},
    [HY_KERNEL_I8MM] = {"i8mm", HY_KERNEL_DOTPROD, ON_ARM64(i8mm)},
};

static struct hy_kernel_table tables[HY_KERNEL_ISA_LEVEL_COUNT]; /* without the reference */
static uint32_t available;                                       /* levels with a table */

static const struct hy_kernel_table *table_of(int level)
{
    return level == HY_KERNEL_REFERENCE ? hy_kernels_reference() : &tables[level];
}

static void set_lesser(struct hy_conv_kernel *kernels, const struct hy_conv_kernel *below)
{
    for (int element = 0; element < HY_ELEMENT_COUNT; element++)
        if (kernels[element].pays)
            kernels[element].lesser = &below[element];
}

/* Sets `lesser` for calls on which the kernels of the table do not pay. */
static void set_all_lesser(struct hy_kernel_table *table, const struct hy_kernel_table *below)
{
    set_lesser(table->conv, below->conv);
    set_lesser(table->grouped_conv, below->grouped_conv);
    set_lesser(table->transpose_conv, below->transpose_conv);
}

static void build_tables(void)
{
    available = HY_KERNEL_ONLY_REFERENCE;
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const enum hy_kernel_isa_level base = isa_levels[level].base;
        if (!isa_levels[level].cpu_has || !(available & 1u << base) || !isa_levels[level].cpu_has())
            continue;
        tables[level] = *table_of(base);
        isa_levels[level].add_kernels(&tables[level]);
        set_all_lesser(&tables[level], table_of(base));
        available |= 1u << level;
    }
}

static uint32_t available_isa_levels(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, build_tables);
    return available;
}

const struct hy_kernel_table *hy_kernels_at(enum hy_kernel_isa_level level)
{
    return available_isa_levels() & 1u << level ? table_of((int)level) : NULL;
}

const struct hy_kernel_table *hy_kernels_within(uint32_t allowed)
{
    int level = HY_KERNEL_ISA_LEVEL_COUNT - 1;

    while (level != HY_KERNEL_REFERENCE && !(available_isa_levels() & allowed & 1u << level))
        level--;
    return table_of(level);
}

const struct hy_kernel_table *hy_kernels_fast(void)
{
    return hy_kernels_within(HY_KERNEL_ALL_ISA_LEVELS);
}

const char *hy_kernels_name(const struct hy_kernel_table *table)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        if (hy_kernels_at((enum hy_kernel_isa_level)level) == table)
            return isa_levels[level].name;
    return "other";
}

const char *hy_kernel_isa_level_name(enum hy_kernel_isa_level level)
{
    return isa_levels[level].name;
}

uint32_t hy_kernel_isa_levels_of(const char *name, size_t length)
{
    uint32_t found = 0;

    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        if (strlen(isa_levels[level].name) != length ||
            memcmp(isa_levels[level].name, name, length) != 0)
            continue;
        for (int at = level; at != HY_KERNEL_REFERENCE; at = isa_levels[at].base)
            found |= 1u << at;
        found |= HY_KERNEL_ONLY_REFERENCE;
    }
    return found;
}
