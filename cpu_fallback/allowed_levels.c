#include "cpu_fallback/allowed_levels.h"

#include <stdio.h>
#include <string.h>

#include "cpu_fallback/kernels/kernels.h"

#define SEPARATORS ", \t"

static void tell_unknown(const char *name, size_t length, const struct hy_host *host)
{
    char text[160];

    snprintf(text, sizeof text, "no instruction set of ours is called \"%.*s\": left out",
             (int)(length < 64 ? length : 64), name);
    host->log(host->context, HY_LOG_WARNING, text);
}

static uint32_t levels_of(const char *name, size_t length, const struct hy_host *host)
{
    if (length == strlen("none") && memcmp(name, "none", length) == 0)
        return HY_KERNEL_ONLY_REFERENCE;
    const uint32_t levels = hy_kernel_levels_of(name, length);
    if (!levels)
        tell_unknown(name, length, host);
    return levels;
}

uint32_t hy_cpu_allowed_levels(const char *names, const struct hy_host *host)
{
    uint32_t allowed = HY_KERNEL_ONLY_REFERENCE;

    if (!names || !*names || strcmp(names, "{}") == 0)
        return HY_KERNEL_ALL_LEVELS;
    for (names += strspn(names, SEPARATORS); *names; names += strspn(names, SEPARATORS)) {
        const size_t length = strcspn(names, SEPARATORS);
        allowed |= levels_of(names, length, host);
        names += length;
    }
    return allowed;
}
