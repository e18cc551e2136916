#ifndef HY_TESTS_SCRIPTED_DRIVER_H
#define HY_TESTS_SCRIPTED_DRIVER_H

#include <halyard/driver.h>
#include <stdbool.h>

/*
 * A configurable test driver in a library. The test sets special functions; members left at zero
 * get the defaults below. A library can have one scripted driver.
 *
 *   driver.create       returns the host as the instance
 *   driver.destroy      does nothing
 *   driver.device_count `device_count`, 1 unless set
 *   driver.device       returns the instance, and `device` plus `device_size` bytes per index
 *
 *   device.describe     returns `info`; defaults: version "1", feature level 8
 *   device.capabilities returns `capabilities`; the four performances default to 1
 *   device.supported_operations  the operations with true from `supports`; NULL: none
 *   device.prepare      returns the device as the prepared model
 *   device.prepared_destroy      does nothing
 *   device.execute      fails
 */
struct scripted_driver {
    struct hy_driver driver;
    struct hy_device device;
    uint32_t device_count;
    size_t device_size;
    struct hy_device_info info;
    struct hy_capabilities capabilities;
    bool (*supports)(const void *device, const struct hy_model *model,
                     const struct hy_operation *operation);
};

/* The result for hy_driver_query; NULL if the host has another ABI. Fills in the defaults. `script`
 * must outlive all use of the library. */
const struct hy_driver *scripted_driver(uint32_t host_abi, struct scripted_driver *script);

#endif
