#ifndef HY_PLUGINS_ABI_H
#define HY_PLUGINS_ABI_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * Checks a peer's `abi` against the ABI of Halyard: both must have the same major number. The text
 * of an error starts with `what`: "hy_driver.abi is". Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_abi_check(const char *what, uint32_t abi, struct hy_error *err);

/* Minimum sizes of a driver's structs: the sizes of version 1.0. No valid driver has a shorter
 * struct. */
#define HY_DRIVER_SIZE_1_0       HY_SIZE_UP_TO(struct hy_driver, device)
#define HY_DEVICE_SIZE_1_0       HY_SIZE_UP_TO(struct hy_device, memory_gone)
#define HY_DEVICE_INFO_SIZE_1_0  HY_SIZE_UP_TO(struct hy_device_info, burst_depth)
#define HY_CAPABILITIES_SIZE_1_0 HY_SIZE_UP_TO(struct hy_capabilities, bytes_per_second)

#endif
