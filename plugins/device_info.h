#ifndef HY_PLUGINS_DEVICE_INFO_H
#define HY_PLUGINS_DEVICE_INFO_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * Calls the driver's describe, checks the reply by the rules of NNAPI for drivers and copies the
 * reply into `out`. The caller frees the copy with hy_device_info_finish. Errors: HY_FAILED
 * (describe failed), HY_BAD_DATA (the reply breaks a rule), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_device_info_ask(const struct hy_device *table, void *device,
                                              struct hy_device_info *out, struct hy_error *err);

/* Frees a copy made by hy_device_info_ask. Accepts a zeroed struct. */
void hy_device_info_finish(struct hy_device_info *info);

/* Does the same for the performance figures (capabilities). Same errors. */
HY_MUST_CHECK enum hy_code hy_device_capabilities_ask(const struct hy_device *table, void *device,
                                                      struct hy_capabilities *out,
                                                      struct hy_error *err);
void hy_device_capabilities_finish(struct hy_capabilities *capabilities);

#endif
