#ifndef HY_PLUGINS_SUPPORT_LIBRARY_LIBRARY_H
#define HY_PLUGINS_SUPPORT_LIBRARY_LIBRARY_H

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/opening_watch.h"

/*
 * A support library as a driver: each device of the library becomes a hy_device.
 *
 * Loads the library at `path` (absolute) and makes an instance for one manifest, whose `arguments`
 * are JSON text; `watch` is told of the calls. Errors: HY_FAILED (it cannot be loaded), HY_BAD_DATA
 * (it is no support library, or a faulty one; the arguments are wrong), HY_OUT_OF_MEMORY, what the
 * library answers.
 */
HY_MUST_CHECK enum hy_code hy_sl_library_open(const char *path, const char *arguments,
                                              const struct hy_host *host,
                                              const struct hy_opening_watch *watch, void **instance,
                                              struct hy_error *err);

/* The driver that such instances belong to; `create` is NULL. */
const struct hy_driver *hy_sl_driver(void);

#endif
