#include "tools/values.h"

#include <math.h>
#include <string.h>

uint64_t hy_values_count(const struct hy_session_tensor *tensor)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < tensor->info.rank; i++)
        count *= (uint64_t)tensor->info.extents[i];
    return count;
}

#define LOAD(type, name, at) \
    type name; \
    memcpy(&name, at, sizeof name)

static double load_float(int32_t type, const uint8_t *at)
{
    if (type == HALYARD_TYPE_FLOAT32) {
        LOAD(float, value, at);
        return value;
    }
    LOAD(double, value, at);
    return value;
}

static double load_stored(int32_t type, const uint8_t *at)
{
    switch (type) {
    case HALYARD_TYPE_INT8:
        return (int8_t)*at;
    case HALYARD_TYPE_UINT8:
    case HALYARD_TYPE_BOOL:
        return *at;
    case HALYARD_TYPE_INT16: {
        LOAD(int16_t, value, at);
        return value;
    }
    case HALYARD_TYPE_INT32: {
        LOAD(int32_t, value, at);
        return value;
    }
    case HALYARD_TYPE_INT64: {
        LOAD(int64_t, value, at);
        return (double)value;
    }
    case HALYARD_TYPE_FLOAT32:
    case HALYARD_TYPE_FLOAT64:
        return load_float(type, at);
    default:
        return NAN;
    }
}

/* Of the types that load_stored knows. */
static size_t element_bytes(int32_t type)
{
    switch (type) {
    case HALYARD_TYPE_INT16:
        return sizeof(int16_t);
    case HALYARD_TYPE_INT32:
    case HALYARD_TYPE_FLOAT32:
        return sizeof(int32_t);
    case HALYARD_TYPE_INT64:
    case HALYARD_TYPE_FLOAT64:
        return sizeof(int64_t);
    default:
        return 1;
    }
}

double hy_values_get(const struct hy_session_tensor *tensor, uint64_t index)
{
    const struct halyard_tensor_info *info = &tensor->info;
    const double stored =
        load_stored(info->type, (const uint8_t *)tensor->bytes + index * element_bytes(info->type));

    if (info->scale_count == 0 || info->scales[0] == 0)
        return stored;
    return (stored - info->zero_points[0]) * (double)info->scales[0];
}

struct hy_values_range hy_values_range(const struct hy_session_tensor *tensor)
{
    struct hy_values_range range = {NAN, NAN};
    for (uint64_t i = 0; i < hy_values_count(tensor); i++) {
        const double value = hy_values_get(tensor, i);
        range.min = fmin(range.min, value);
        range.max = fmax(range.max, value);
    }
    return range;
}
