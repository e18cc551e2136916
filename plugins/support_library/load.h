#ifndef HY_PLUGINS_SUPPORT_LIBRARY_LOAD_H
#define HY_PLUGINS_SUPPORT_LIBRARY_LOAD_H

#include "common/error.h"
#include "plugins/opening_watch.h"

#include <android/NeuralNetworksSupportLibraryImpl.h>

/*
 * Loads the support library at `path` (absolute) and gets its table. The table is not checked and
 * may be NULL. The library stays loaded, because its API has no call to shut down. A Halyard
 * library loaded this way opens no drivers: this process has opened the machine's drivers already,
 * and the loaded Halyard would open itself. Errors: HY_FAILED (the library cannot be loaded),
 * HY_BAD_DATA (not a support library, or this runtime itself).
 */
HY_MUST_CHECK enum hy_code hy_sl_load(const char *path, const struct hy_opening_watch *watch,
                                      const NnApiSLDriverImpl **ret, struct hy_error *err);

#endif
