#ifndef HY_PLUGINS_SUPPORT_LIBRARY_SL_PLUGIN_DEVICE_H
#define HY_PLUGINS_SUPPORT_LIBRARY_SL_PLUGIN_DEVICE_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

#include <android/NeuralNetworksSupportLibraryImpl.h>

/* A device of a support library, constant after hy_sl_device_init. */
struct hy_sl_device {
    const NnApiSLDriverImplFL8 *table; /* the library's; outlives the device */
    const ANeuralNetworksDevice *handle;
    const struct hy_host *host;
    struct hy_arena memory; /* of the strings and arrays of info and capabilities */
    struct hy_device_info info;
    struct hy_capabilities capabilities;
    enum hy_code code; /* result of querying info and capabilities */
};

/*
 * Queries the library for the device's info and capabilities; `prefix` is placed before the
 * device's name. A failed query is logged and makes the device's describe fail later, so other
 * devices stay usable. Errors: HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_sl_device_init(struct hy_sl_device *device,
                                             const NnApiSLDriverImplFL8 *table,
                                             const ANeuralNetworksDevice *handle,
                                             const char *prefix, const struct hy_host *host,
                                             struct hy_error *err);
void hy_sl_device_finish(struct hy_sl_device *device);

/* Returns the functions of the driver ABI; their `device` is a struct hy_sl_device. */
const struct hy_device *hy_sl_device_table(void);

#endif
