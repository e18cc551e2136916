#ifndef HY_PLUGINS_SUPPORT_LIBRARY_TABLE_H
#define HY_PLUGINS_SUPPORT_LIBRARY_TABLE_H

#include "common/error.h"

#include <android/NeuralNetworksSupportLibraryImpl.h>

/*
 * Checks the table that a support library gives and copies it, so that it cannot change under us:
 * its level, and that all functions we call are there and the library's own. A table of a level
 * below 8 leaves the functions of level 8 NULL; of a higher one, what we know is read.
 * Errors: HY_BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_sl_table_copy(const NnApiSLDriverImpl *given,
                                            NnApiSLDriverImplFL8 *out, struct hy_error *err);

#endif
