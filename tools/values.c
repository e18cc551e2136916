#include "tools/values.h"

#include <math.h>
#include <stdlib.h>

#include "tools/api_result.h"

static uint64_t count_of(const struct halyard_tensor_info *info)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < info->rank; i++)
        count *= (uint64_t)info->extents[i];
    return count;
}

static bool are_numbers(int32_t type)
{
    switch (type) {
    case HALYARD_TYPE_STRING:
    case HALYARD_TYPE_COMPLEX64:
    case HALYARD_TYPE_COMPLEX128:
    case HALYARD_TYPE_RESOURCE:
    case HALYARD_TYPE_VARIANT:
        return false;
    default:
        return true;
    }
}

enum hy_code hy_values_read(const struct hy_session *session, uint32_t output,
                            struct hy_values *out, struct hy_error *err)
{
    const struct hy_session_tensor tensor = hy_session_output(session, output);
    *out = (struct hy_values){.min = NAN, .max = NAN};
    if (!are_numbers(tensor.info.type))
        return HY_OK;
    out->count = count_of(&tensor.info);
    out->at = calloc(out->count + 1, sizeof *out->at);
    if (!out->at)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%llu values of output %u",
                       (unsigned long long)out->count, output);
    const enum hy_code code = hy_api_result(
        halyard_session_read_output(hy_session_handle(session), output, out->at, out->count),
        "session_read_output", err);
    for (uint64_t i = 0; code == HY_OK && i < out->count; i++) {
        out->min = fmin(out->min, out->at[i]);
        out->max = fmax(out->max, out->at[i]);
    }
    if (code != HY_OK)
        hy_values_finish(out);
    return code;
}

void hy_values_finish(struct hy_values *values)
{
    free(values->at);
    *values = (struct hy_values){0};
}
