#ifndef HY_PLUGINS_DEVICE_TABLE_H
#define HY_PLUGINS_DEVICE_TABLE_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * Copies a driver's table into `out` and fills missing members with zeros up to the full size of
 * struct hy_device, so a NULL test replaces HY_HAS. Refuses a table that is too small, has another
 * major version, lacks a required member or has an incomplete optional group. Errors: HY_BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_device_table_copy(const struct hy_device *table,
                                                struct hy_device *out, struct hy_error *err);

#endif
