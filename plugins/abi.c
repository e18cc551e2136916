#include "plugins/abi.h"

enum hy_code hy_abi_check(const char *what, uint32_t abi, struct hy_error *err)
{
    if (HY_ABI_MAJOR(abi) == HY_ABI_MAJOR(HY_DRIVER_ABI))
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "%s %u.%u, Halyard has %u.%u: the major numbers differ", what,
                   HY_ABI_MAJOR(abi), HY_ABI_MINOR(abi), HY_ABI_MAJOR(HY_DRIVER_ABI),
                   HY_ABI_MINOR(HY_DRIVER_ABI));
}
