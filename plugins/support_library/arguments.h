#ifndef HY_PLUGINS_SUPPORT_LIBRARY_ARGUMENTS_H
#define HY_PLUGINS_SUPPORT_LIBRARY_ARGUMENTS_H

#include "common/error.h"

#define HY_SL_PREFIX_SIZE 65u /* NUL included */

/*
 * Reads the arguments of a support library's manifest, as JSON text:
 *
 *     { "device_prefix": "acme-" }   placed before each device name of the library
 *
 * All members are optional; `prefix` is "" by default. Errors: HY_BAD_DATA, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_sl_arguments_read(const char *text, char prefix[HY_SL_PREFIX_SIZE],
                                                struct hy_error *err);

#endif
