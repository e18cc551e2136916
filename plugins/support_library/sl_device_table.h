#ifndef HY_PLUGINS_SUPPORT_LIBRARY_SL_DEVICE_TABLE_H
#define HY_PLUGINS_SUPPORT_LIBRARY_SL_DEVICE_TABLE_H

#include "common/error.h"

#include <android/NeuralNetworksSupportLibraryImpl.h>

/*
 * Checks the table of a support library and copies the table, so later changes by the library have
 * no effect. The check covers the level, and the presence and ownership of all functions that
 * Halyard calls: each function must belong to the library. A table below level 8 leaves the
 * functions of level 8 NULL; of a table above level 8, the known part is read. Errors: HY_BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_sl_table_copy(const NnApiSLDriverImpl *given,
                                            NnApiSLDriverImplFL8 *out, struct hy_error *err);

#endif
