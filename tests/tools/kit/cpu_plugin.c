/* The CPU backend as a plugin, so that check-driver can open it like any other. */
#include "cpu_fallback/cpu_driver.h"

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    return HY_ABI_MAJOR(host_abi) == HY_ABI_MAJOR(HY_DRIVER_ABI) ? hy_cpu_driver() : NULL;
}
