#ifndef HY_PLUGINS_SUPPORT_LIBRARY_FACTS_H
#define HY_PLUGINS_SUPPORT_LIBRARY_FACTS_H

#include "plugins/support_library/device.h"

/*
 * Fills info and capabilities of a device that has its table, handle and (empty) memory from what
 * the library says. Answers are translated here; whoever opens the driver checks them, as those of
 * any driver. Errors: what the library answers, HY_BAD_DATA, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_sl_facts_ask(struct hy_sl_device *device, const char *prefix,
                                           struct hy_error *err);

#endif
