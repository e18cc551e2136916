#include "libhalyard/session/values.h"

#include <math.h>
#include <string.h>

#include "common/half.h"

bool hy_values_are_numbers(enum hy_element element)
{
    switch (element) {
    case HY_ELEMENT_STRING:
    case HY_ELEMENT_COMPLEX64:
    case HY_ELEMENT_COMPLEX128:
    case HY_ELEMENT_RESOURCE:
    case HY_ELEMENT_VARIANT:
        return false;
    default:
        return true;
    }
}

static double load_bfloat16(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* The first element of a byte is in the low half. */
static double load_int4(const uint8_t *bytes, uint64_t index)
{
    const int nibble = bytes[index / 2] >> (index % 2 ? 4 : 0) & 15;
    return nibble < 8 ? nibble : nibble - 16;
}

#define LOAD(type, convert) \
    do { \
        type value; \
        memcpy(&value, bytes + index * sizeof value, sizeof value); \
        return (double)convert(value); \
    } while (0)

/* Elements lie at any alignment: a caller binds the memory. */
static double load(enum hy_element element, const uint8_t *bytes, uint64_t index)
{
    switch (element) {
    case HY_ELEMENT_FLOAT32:
        LOAD(float, );
    case HY_ELEMENT_FLOAT64:
        LOAD(double, );
    case HY_ELEMENT_FLOAT16:
        LOAD(uint16_t, hy_half_to_float);
    case HY_ELEMENT_BFLOAT16:
        LOAD(uint16_t, load_bfloat16);
    case HY_ELEMENT_INT8:
        LOAD(int8_t, );
    case HY_ELEMENT_UINT8:
    case HY_ELEMENT_BOOL:
        LOAD(uint8_t, );
    case HY_ELEMENT_INT16:
        LOAD(int16_t, );
    case HY_ELEMENT_UINT16:
        LOAD(uint16_t, );
    case HY_ELEMENT_INT32:
        LOAD(int32_t, );
    case HY_ELEMENT_UINT32:
        LOAD(uint32_t, );
    case HY_ELEMENT_INT64:
        LOAD(int64_t, );
    case HY_ELEMENT_UINT64:
        LOAD(uint64_t, );
    case HY_ELEMENT_INT4:
        return load_int4(bytes, index);
    default:
        return NAN;
    }
}

/* Which scale an element has. */
static uint32_t slice_of(const struct hy_values *values, uint64_t index)
{
    const struct hy_graph_quantisation *quantisation = values->quantisation;
    if (quantisation->count == 1 || quantisation->axis >= values->rank)
        return 0;
    uint64_t inner = 1;
    for (uint32_t i = quantisation->axis + 1; i < values->rank; i++)
        inner *= (uint64_t)values->extents[i];
    return (uint32_t)(index / inner % quantisation->count);
}

double hy_values_get(const struct hy_values *values, uint64_t index)
{
    const struct hy_graph_quantisation *quantisation = values->quantisation;
    const double stored = load(values->element, values->bytes, index);
    if (quantisation->count == 0)
        return stored;
    const uint32_t slice = slice_of(values, index);
    const double scale = (double)quantisation->scales[slice];
    return scale == 0 ? stored : (stored - quantisation->zero_points[slice]) * scale;
}

static void insert(struct hy_value_rank *ranks, uint32_t size, uint32_t *count,
                   const struct hy_value_rank *rank)
{
    uint32_t at = *count;
    while (at > 0 && rank->value > ranks[at - 1].value)
        at--;
    if (at == size)
        return;
    if (*count < size)
        ++*count;
    memmove(&ranks[at + 1], &ranks[at], (*count - 1 - at) * sizeof *ranks);
    ranks[at] = *rank;
}

uint32_t hy_values_top(const struct hy_values *values, struct hy_value_rank *ranks, uint32_t size)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < values->count; i++) {
        const struct hy_value_rank rank = {i, hy_values_get(values, i)};
        if (!isnan(rank.value))
            insert(ranks, size, &count, &rank);
    }
    return count;
}
