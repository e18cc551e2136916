/* Access to single tensor elements, for the kernels. */
#ifndef SAMPLE_ELEMENTS_H
#define SAMPLE_ELEMENTS_H

#include "kernels.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static inline float load_f32(const uint8_t *tensor, size_t index)
{
    float value;
    memcpy(&value, tensor + index * sizeof value, sizeof value);
    return value;
}

static inline void store_f32(uint8_t *tensor, size_t index, float value)
{
    memcpy(tensor + index * sizeof value, &value, sizeof value);
}

static inline int32_t load_i32(const uint8_t *tensor, size_t index)
{
    int32_t value;
    memcpy(&value, tensor + index * sizeof value, sizeof value);
    return value;
}

static inline int32_t load_q8(const uint8_t *tensor, size_t index)
{
    return (int8_t)tensor[index];
}

static inline float clamp_f32(const struct hy_value_range *range, float value)
{
    return fminf(fmaxf(value, range->low), range->high);
}

static inline uint8_t clamp_q8(const struct hy_value_range *range, int64_t value)
{
    return (uint8_t)hy_clamp_int32(value, range->quant_low, range->quant_high);
}

#endif
