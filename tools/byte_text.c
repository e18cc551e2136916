#include "tools/byte_text.h"

#include <stddef.h>
#include <stdio.h>

struct hy_byte_text hy_byte_text(uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    struct hy_byte_text text;
    double value = (double)bytes;
    size_t unit = 0;

    for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1024;
    snprintf(text.text, sizeof text.text, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return text;
}
