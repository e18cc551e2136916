#include "tested.h"

#include <stdlib.h>
#include <string.h>

const struct hy_kernel_table *tested_kernels_at(int level)
{
    const char *only = getenv("HALYARD_TEST_KERNELS");
    const bool is_left_out =
        only && *only && level != HY_KERNEL_REFERENCE &&
        strcmp(hy_kernel_isa_level_name((enum hy_kernel_isa_level)level), only) != 0;

    const struct hy_kernel_table *table =
        is_left_out ? NULL : hy_kernels_at((enum hy_kernel_isa_level)level);
    const struct hy_conv_kernel *conv = table ? &table->conv[HY_ELEMENT_U8] : NULL;

    return conv && conv->ready && !conv->ready() ? NULL : table;
}

bool tested_is_own(int level, const void *part, size_t size)
{
    const char *own = (const char *)hy_kernels_at((enum hy_kernel_isa_level)level);
    const size_t offset = (size_t)((const char *)part - own);

    for (int lower = HY_KERNEL_REFERENCE; lower < level; lower++) {
        const char *table = (const char *)hy_kernels_at((enum hy_kernel_isa_level)lower);
        if (table && memcmp(table + offset, part, size) == 0)
            return false;
    }
    return true;
}
