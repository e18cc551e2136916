#include "tools/values.h"

#include <math.h>
#include <string.h>

uint64_t hy_values_count(const struct hy_session_tensor *tensor)
{
    const unsigned bits = hy_element_bits(tensor->tensor->element);
    return bits ? (uint64_t)tensor->length * 8 / bits : 0;
}

#define LOAD(type, name, at) \
    type name; \
    memcpy(&name, at, sizeof name)

static double load_float(enum hy_element type, const uint8_t *at)
{
    if (type == HY_ELEMENT_FLOAT32) {
        LOAD(float, value, at);
        return value;
    }
    LOAD(double, value, at);
    return value;
}

static double load_stored(enum hy_element type, const uint8_t *at)
{
    switch (type) {
    case HY_ELEMENT_INT8:
        return (int8_t)*at;
    case HY_ELEMENT_UINT8:
    case HY_ELEMENT_BOOL:
        return *at;
    case HY_ELEMENT_INT16: {
        LOAD(int16_t, value, at);
        return value;
    }
    case HY_ELEMENT_INT32: {
        LOAD(int32_t, value, at);
        return value;
    }
    case HY_ELEMENT_INT64: {
        LOAD(int64_t, value, at);
        return (double)value;
    }
    case HY_ELEMENT_FLOAT32:
    case HY_ELEMENT_FLOAT64:
        return load_float(type, at);
    default:
        return NAN;
    }
}

double hy_values_get(const struct hy_session_tensor *tensor, uint64_t index)
{
    const struct hy_graph_tensor *facts = tensor->tensor;
    const uint64_t bytes = hy_element_bits(facts->element) / 8;
    const double stored =
        load_stored(facts->element, (const uint8_t *)tensor->bytes + index * bytes);

    const struct hy_graph_quantisation *quantisation = &facts->quantisation;
    if (quantisation->count == 0 || quantisation->scales[0] == 0)
        return stored;
    return (stored - quantisation->zero_points[0]) * (double)quantisation->scales[0];
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
