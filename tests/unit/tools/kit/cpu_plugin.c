/* The CPU backend as a plugin, so that check-driver can open it like any other. Its devices have
 * names of their own, as those of every driver do. */
#include "cpu_fallback/cpu_driver.h"

static struct hy_driver driver;
static struct hy_device tables[2];
static const struct hy_device *own_tables[2];

static int32_t describe(uint32_t index, const char *name, void *self, struct hy_device_info *info)
{
    const int32_t status = own_tables[index]->describe(self, info);
    if (status == HY_STATUS_OK)
        info->name = name;
    return status;
}

static int32_t describe_cpu(void *self, struct hy_device_info *info)
{
    return describe(0, "cpu-plugin", self, info);
}

static int32_t describe_reference(void *self, struct hy_device_info *info)
{
    return describe(1, "reference-plugin", self, info);
}

static int32_t device(void *instance, uint32_t index, const struct hy_device **table, void **self)
{
    const int32_t status = hy_cpu_driver()->device(instance, index, &own_tables[index], self);
    if (status != HY_STATUS_OK)
        return status;
    tables[index] = *own_tables[index];
    tables[index].describe = index == 0 ? describe_cpu : describe_reference;
    *table = &tables[index];
    return HY_STATUS_OK;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    if (HY_ABI_MAJOR(host_abi) != HY_ABI_MAJOR(HY_DRIVER_ABI))
        return NULL;
    driver = *hy_cpu_driver();
    driver.device = device;
    return &driver;
}
