#ifndef HY_PLUGINS_SUPPORT_LIBRARY_RESULT_H
#define HY_PLUGINS_SUPPORT_LIBRARY_RESULT_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * What a support library answers, on its way to the driver ABI: result codes are HY_ codes while
 * they are among us, and become HY_STATUS_ codes at the border.
 */

/* The code of a call; one that does not exist counts as HY_FAILED, and so does OUT_OF_MEMORY, which
 * is said of memory here alone. `call` is the function's name without its "ANeuralNetworks". */
HY_MUST_CHECK enum hy_code hy_sl_result(int result, const char *call, struct hy_error *err);

/* The same for a call that makes something: success without it is HY_FAILED. */
HY_MUST_CHECK enum hy_code hy_sl_result_made(int result, const void *made, const char *call,
                                             struct hy_error *err);

#endif
