#ifndef HY_PLUGINS_SUPPORT_LIBRARY_RESULT_H
#define HY_PLUGINS_SUPPORT_LIBRARY_RESULT_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * Converts result codes of a support library. Inside Halyard the codes are HY_ codes; the driver
 * ABI gets HY_STATUS_ codes.
 */

/* Converts the result of a call. Unknown codes become HY_FAILED. OUT_OF_MEMORY also becomes
 * HY_FAILED, because HY_OUT_OF_MEMORY is reserved for Halyard's own allocations. `call` is the
 * function's name without "ANeuralNetworks". */
HY_MUST_CHECK enum hy_code hy_sl_result(int result, const char *call, struct hy_error *err);

/* Converts the result of a call that creates an object: success with a NULL object is HY_FAILED. */
HY_MUST_CHECK enum hy_code hy_sl_result_made(int result, const void *made, const char *call,
                                             struct hy_error *err);

#endif
