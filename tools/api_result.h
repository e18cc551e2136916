#ifndef HY_TOOLS_API_RESULT_H
#define HY_TOOLS_API_RESULT_H

#include "common/error.h"

/*
 * Converts a result of the API to an hy_code of the same number. The error text is the text of
 * halyard_last_error(), or "CALL: CODE" if the library has set no text.
 */
HY_MUST_CHECK enum hy_code hy_api_result(int result, const char *call, struct hy_error *err);

#endif
