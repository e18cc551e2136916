#ifndef HY_PLUGINS_DEVICE_INFO_H
#define HY_PLUGINS_DEVICE_INFO_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * Asks the driver what its device is, checks the answer by the rules that NNAPI has for drivers and
 * copies it. Errors: HY_FAILED (describe failed), HY_BAD_DATA (the answer breaks a rule),
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_device_info_ask(const struct hy_device *table, void *device,
                                              struct hy_device_info *out, struct hy_error *err);

/* Frees a copy made by hy_device_info_ask; a zeroed one is fine. */
void hy_device_info_finish(struct hy_device_info *info);

/* The same for the performance figures. */
HY_MUST_CHECK enum hy_code hy_device_capabilities_ask(const struct hy_device *table, void *device,
                                                      struct hy_capabilities *out,
                                                      struct hy_error *err);
void hy_device_capabilities_finish(struct hy_capabilities *capabilities);

#endif
