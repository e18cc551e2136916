#ifndef HY_PLUGINS_SUPPORT_LIBRARY_DEVICE_H
#define HY_PLUGINS_SUPPORT_LIBRARY_DEVICE_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"

#include <android/NeuralNetworksSupportLibraryImpl.h>

/* A device of a support library. All is constant once it has been made. */
struct hy_sl_device {
    const NnApiSLDriverImplFL8 *table; /* the library's; outlives the device */
    const ANeuralNetworksDevice *handle;
    const struct hy_host *host;
    struct hy_arena memory; /* of what the two below point to */
    struct hy_device_info info;
    struct hy_capabilities capabilities;
    enum hy_code code; /* of asking for them */
};

/*
 * Asks the library all about the device; the name gets `prefix` before it. What the device fails to
 * answer is logged, and fails describe later, so that it costs this device alone.
 * Errors: HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_sl_device_init(struct hy_sl_device *device,
                                             const NnApiSLDriverImplFL8 *table,
                                             const ANeuralNetworksDevice *handle,
                                             const char *prefix, const struct hy_host *host,
                                             struct hy_error *err);
void hy_sl_device_finish(struct hy_sl_device *device);

/* The functions of the driver ABI; `device` is a struct hy_sl_device. */
const struct hy_device *hy_sl_device_table(void);

#endif
