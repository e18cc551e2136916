#include "common/half.h"

void hy_halves_to_floats(const void *halves, size_t count, float *floats)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, (const char *)halves + i * sizeof half, sizeof half);
        floats[i] = hy_half_to_float_soft(half);
    }
}
