#include "plugins/support_library/result.h"

#include <stdbool.h>

static bool exists(int result)
{
    return result == HY_OK || result == HY_OUT_OF_MEMORY ||
           (result >= HY_UNEXPECTED_NULL && result <= HY_DEAD);
}

enum hy_code hy_sl_result(int result, const char *call, struct hy_error *err)
{
    if (result == HY_OK)
        return HY_OK;
    if (!exists(result))
        return hy_fail(err, HY_FAILED, "%s returned the unknown result code %d", call, result);
    const enum hy_code code = (enum hy_code)result;
    /* HY_OUT_OF_MEMORY is reserved for Halyard's own allocations. */
    return hy_fail(err, code == HY_OUT_OF_MEMORY ? HY_FAILED : code, "%s returned %s (%d)", call,
                   hy_code_name(code), result);
}

enum hy_code hy_sl_result_made(int result, const void *made, const char *call, struct hy_error *err)
{
    if (result == HY_OK && !made)
        return hy_fail(err, HY_FAILED, "%s returned NO_ERROR without an object", call);
    return hy_sl_result(result, call, err);
}
