#ifndef HY_PLUGINS_ABI_H
#define HY_PLUGINS_ABI_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * Whether a side of this version of driver.h and this one understand each other: those of one major
 * number do. `what` says whose it is: "hy_driver.abi is". Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_abi_check(const char *what, uint32_t abi, struct hy_error *err);

/* Sizes that the structs of drivers have had since 1.0: none is shorter. */
#define HY_DRIVER_SIZE_1_0       HY_SIZE_UP_TO(struct hy_driver, device)
#define HY_DEVICE_SIZE_1_0       HY_SIZE_UP_TO(struct hy_device, memory_gone)
#define HY_DEVICE_INFO_SIZE_1_0  HY_SIZE_UP_TO(struct hy_device_info, burst_depth)
#define HY_CAPABILITIES_SIZE_1_0 HY_SIZE_UP_TO(struct hy_capabilities, bytes_per_second)

#endif
