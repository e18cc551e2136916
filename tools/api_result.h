#ifndef HY_TOOLS_API_RESULT_H
#define HY_TOOLS_API_RESULT_H

#include "common/error.h"

/*
 * A result of the API as one of ours: the codes are the same, the words are those of
 * halyard_last_error(), or "CALL: CODE" where the library left none.
 */
HY_MUST_CHECK enum hy_code hy_api_result(int result, const char *call, struct hy_error *err);

#endif
