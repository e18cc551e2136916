#include "tools/api_result.h"

#include <halyard/halyard.h>

enum hy_code hy_api_result(int result, const char *call, struct hy_error *err)
{
    if (result == ANEURALNETWORKS_NO_ERROR)
        return HY_OK;

    const enum hy_code code = (enum hy_code)result;
    const char *text = halyard_last_error();
    if (*text && halyard_last_error_code() == result)
        return hy_fail(err, code, "%s", text);
    return hy_fail(err, code, "%s: %s (result %d)", call, hy_code_name(code), result);
}
