#ifndef HY_PLUGINS_SUPPORT_LIBRARY_LIBRARY_H
#define HY_PLUGINS_SUPPORT_LIBRARY_LIBRARY_H

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/opening_watch.h"

/*
 * A support library as a driver: each device of the library becomes a hy_device.
 *
 * Loads the library at `path` (absolute) and creates an instance for one manifest. `arguments` is
 * the manifest's JSON text; `watch` receives the name of each call. Errors: HY_FAILED (the library
 * cannot be loaded), HY_BAD_DATA (not a support library, a faulty library or wrong arguments),
 * HY_OUT_OF_MEMORY, the library's own codes.
 */
HY_MUST_CHECK enum hy_code hy_sl_library_open(const char *path, const char *arguments,
                                              const struct hy_host *host,
                                              const struct hy_opening_watch *watch, void **instance,
                                              struct hy_error *err);

/* Returns the driver for these instances; the driver's `create` is NULL. */
const struct hy_driver *hy_sl_driver(void);

#endif
