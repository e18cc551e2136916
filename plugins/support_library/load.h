#ifndef HY_PLUGINS_SUPPORT_LIBRARY_LOAD_H
#define HY_PLUGINS_SUPPORT_LIBRARY_LOAD_H

#include "common/error.h"
#include "plugins/opening_watch.h"

#include <android/NeuralNetworksSupportLibraryImpl.h>

/*
 * Loads the support library at `path` (absolute) and asks it for its table, which is not looked at
 * and may be NULL. The library stays loaded, since nothing can tell it to end. A second Halyard is
 * told to open no drivers: this process has the drivers of the machine already, and the second
 * Halyard would open itself.
 * Errors: HY_FAILED (it cannot be loaded), HY_BAD_DATA (it is no support library, or is this
 * runtime itself).
 */
HY_MUST_CHECK enum hy_code hy_sl_load(const char *path, const struct hy_opening_watch *watch,
                                      const NnApiSLDriverImpl **ret, struct hy_error *err);

#endif
