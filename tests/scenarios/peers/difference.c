#include "difference.h"

#include <math.h>
#include <stdint.h>

double hy_tolerance(enum hy_tflite_type type)
{
    switch (type) {
    case HY_TFLITE_FLOAT32:
        return 1e-5;
    case HY_TFLITE_INT8:
    case HY_TFLITE_UINT8:
    case HY_TFLITE_INT16:
        return 1.0;
    default:
        return 0.0;
    }
}

static double element(enum hy_tflite_type type, const void *tensor, size_t index)
{
    switch (type) {
    case HY_TFLITE_FLOAT32:
        return ((const float *)tensor)[index];
    case HY_TFLITE_INT32:
        return ((const int32_t *)tensor)[index];
    case HY_TFLITE_INT64:
        return (double)((const int64_t *)tensor)[index];
    case HY_TFLITE_INT8:
        return ((const int8_t *)tensor)[index];
    case HY_TFLITE_INT16:
        return ((const int16_t *)tensor)[index];
    default:
        return ((const uint8_t *)tensor)[index];
    }
}

/* What a distance of 1 is. */
static double unit(enum hy_tflite_type type, size_t count, const void *golden)
{
    double largest = 0.0;

    if (type != HY_TFLITE_FLOAT32)
        return 1.0;
    for (size_t i = 0; i < count; i++) {
        const double magnitude = fabs(element(type, golden, i));
        if (isfinite(magnitude))
            largest = fmax(largest, magnitude);
    }
    return largest > 0.0 ? largest : 1.0;
}

static double real_distance(double golden, double measured)
{
    if (golden == measured || (isnan(golden) && isnan(measured)))
        return 0.0;
    const double apart = fabs(golden - measured);
    return isfinite(apart) ? apart : INFINITY;
}

/* Of int64, numbers that differ are 1 apart at least, whatever a double makes of them. */
static double distance(enum hy_tflite_type type, const void *golden, const void *measured,
                       size_t index)
{
    const double apart =
        real_distance(element(type, golden, index), element(type, measured, index));

    if (type == HY_TFLITE_INT64 &&
        ((const int64_t *)golden)[index] != ((const int64_t *)measured)[index])
        return fmax(apart, 1.0);
    return apart;
}

void hy_difference_add(struct hy_difference *difference, enum hy_tflite_type type, size_t count,
                       const void *golden, const void *measured)
{
    const double one = unit(type, count, golden), tolerance = hy_tolerance(type);

    for (size_t i = 0; i < count; i++) {
        const double apart = distance(type, golden, measured, i) / one;
        difference->worst = fmax(difference->worst, apart);
        difference->beyond += apart > tolerance;
        difference->apart += apart > 0.0;
    }
    difference->count += count;
}
