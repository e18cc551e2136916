#include "cpu_fallback/allowed_isa_levels.h"

#include <stdio.h>
#include <string.h>

#include "common/near_name.h"
#include "cpu_fallback/kernels/kernels.h"

#define SEPARATORS ", \t"

static void report_unknown(const char *name, size_t length, const struct hy_host *host)
{
    const char *names[HY_KERNEL_ISA_LEVEL_COUNT];
    char word[64], text[256];

    names[HY_KERNEL_REFERENCE] = "none";
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        names[level] = hy_kernel_isa_level_name((enum hy_kernel_isa_level)level);
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
             name);
    const char *near = hy_near_name(word, names, HY_KERNEL_ISA_LEVEL_COUNT);
    int used =
        snprintf(text, sizeof text, "unknown instruction set \"%s\" is ignored%s%s; known:", word,
                 near ? "; did you mean " : "", near ? near : "");
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %s", level ? "," : "",
                         names[level]);
    host->log(host->context, HY_LOG_WARNING, text);
}

static uint32_t isa_levels_of(const char *name, size_t length, const struct hy_host *host)
{
    if (length == strlen("none") && memcmp(name, "none", length) == 0)
        return HY_KERNEL_ONLY_REFERENCE;
    const uint32_t isa_levels = hy_kernel_isa_levels_of(name, length);
    if (!isa_levels)
        report_unknown(name, length, host);
    return isa_levels;
}

uint32_t hy_cpu_allowed_isa_levels(const char *names, const struct hy_host *host)
{
    uint32_t allowed = HY_KERNEL_ONLY_REFERENCE;

    if (!names || !*names || strcmp(names, "{}") == 0)
        return HY_KERNEL_ALL_ISA_LEVELS;
    for (names += strspn(names, SEPARATORS); *names; names += strspn(names, SEPARATORS)) {
        const size_t length = strcspn(names, SEPARATORS);
        allowed |= isa_levels_of(names, length, host);
        names += length;
    }
    return allowed;
}
