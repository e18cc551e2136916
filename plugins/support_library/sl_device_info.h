#ifndef HY_PLUGINS_SUPPORT_LIBRARY_SL_DEVICE_INFO_H
#define HY_PLUGINS_SUPPORT_LIBRARY_SL_DEVICE_INFO_H

#include "plugins/support_library/sl_plugin_device.h"

/*
 * Queries the library and fills `info` and `capabilities` of a device whose table, handle and
 * (empty) memory are set. Replies are only translated; the opener of the driver checks the values
 * later, as for any driver. Errors: the library's own codes, HY_BAD_DATA, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_sl_device_info_query(struct hy_sl_device *device, const char *prefix,
                                                   struct hy_error *err);

#endif
