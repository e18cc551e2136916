#ifndef HY_TESTS_SCRIPTED_DRIVER_H
#define HY_TESTS_SCRIPTED_DRIVER_H

#include <halyard/driver.h>
#include <stdbool.h>

/*
 * The driver of a library for tests. A test sets what is special to its driver; what it leaves at
 * zero is as follows. There is one such driver in a library.
 *
 *   driver.create       gives the host as the instance
 *   driver.destroy      does nothing
 *   driver.device_count `device_count`, which is one unless it is set
 *   driver.device       gives `device` and the instance, `device_size` bytes further for each next
 *                       device
 *
 *   device.describe     gives `info`, whose version is "1" and whose feature level is 8 unless set
 *   device.capabilities gives `capabilities`, whose four performances are 1 unless set
 *   device.supported_operations  says yes to those that `supports` is true of; NULL: to none
 *   device.prepare      gives the device as the prepared model
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

/* What hy_driver_query returns; NULL: the host speaks another ABI. Fills in what is left at zero.
 * `script` outlives the library's use. */
const struct hy_driver *scripted_driver(uint32_t host_abi, struct scripted_driver *script);

#endif
