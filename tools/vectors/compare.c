#include "tools/vectors/compare.h"

#include <android/NeuralNetworks.h>
#include <math.h>
#include <string.h>

#include "common/bfloat.h"
#include "common/half.h"
#include "common/operations/operand_type.h"

struct tolerance {
    double absolute;
    double relative;
};

bool hy_vector_is_half_exact(const struct hy_vector *vector)
{
    if (vector->is_relaxed)
        return true;
    for (uint32_t m = 0; m < vector->model_count; m++)
        for (uint32_t i = 0; i < vector->models[m].operand_count; i++)
            if (vector->models[m].operands[i].type == ANEURALNETWORKS_TENSOR_FLOAT16)
                return true;
    return false;
}

static struct tolerance tolerance_of(int32_t type, bool half_exact)
{
    const struct tolerance half = {5 * 0x1p-10, 5 * 0x1p-10};
    const struct tolerance single = {(double)1e-5f, 5 * 0x1p-23};
    const struct tolerance wide = {1e-13, 1e-13};
    const struct tolerance bfloat = {5 * 0x1p-7, 5 * 0x1p-7};
    const struct tolerance exact = {0, 0};
    const struct tolerance one_step = {1, 0};

    switch (type) {
    case ANEURALNETWORKS_FLOAT32:
    case ANEURALNETWORKS_TENSOR_FLOAT32:
        return half_exact ? half : single;
    case ANEURALNETWORKS_FLOAT16:
    case ANEURALNETWORKS_TENSOR_FLOAT16:
        return half;
    case HY_TENSOR_FLOAT64:
        return wide;
    case HY_TENSOR_BFLOAT16:
        return bfloat;
    case ANEURALNETWORKS_BOOL:
    case ANEURALNETWORKS_TENSOR_BOOL8:
        return exact;
    default:
        return hy_type_is_extension(type) ? exact : one_step;
    }
}

#define LOAD(type, name) \
    type name; \
    memcpy(&name, at, sizeof name)

static double load_64(int32_t type, const uint8_t *at)
{
    if (type == HY_TENSOR_FLOAT64) {
        LOAD(double, value);
        return value;
    }
    if (type == HY_TENSOR_UINT64) {
        LOAD(uint64_t, value);
        return (double)value;
    }
    LOAD(int64_t, value);
    return (double)value;
}

static double load_wide(int32_t type, const uint8_t *at)
{
    if (type == ANEURALNETWORKS_FLOAT32 || type == ANEURALNETWORKS_TENSOR_FLOAT32) {
        LOAD(float, value);
        return (double)value;
    }
    if (type == ANEURALNETWORKS_UINT32 || type == HY_TENSOR_UINT32) {
        LOAD(uint32_t, value);
        return value;
    }
    LOAD(int32_t, value);
    return value;
}

static double load_16(int32_t type, const uint8_t *at)
{
    LOAD(uint16_t, bits);
    if (type == ANEURALNETWORKS_FLOAT16 || type == ANEURALNETWORKS_TENSOR_FLOAT16)
        return (double)hy_half_to_float(bits);
    if (type == HY_TENSOR_BFLOAT16)
        return (double)hy_bfloat_to_float(bits);
    return type == ANEURALNETWORKS_TENSOR_QUANT16_SYMM || type == HY_TENSOR_INT16 ? (int16_t)bits
                                                                                  : bits;
}

static double load_8(int32_t type, uint8_t byte)
{
    switch (type) {
    case ANEURALNETWORKS_BOOL:
    case ANEURALNETWORKS_TENSOR_BOOL8:
        return byte != 0;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case HY_TENSOR_UINT8:
        return byte;
    default:
        return (int8_t)byte;
    }
}

static double load(int32_t type, const void *bytes, uint32_t index)
{
    const uint32_t size = hy_operand_type_bytes(type);
    const uint8_t *at = (const uint8_t *)bytes + (size_t)index * size;
    if (size == 8)
        return load_64(type, at);
    if (size == 4)
        return load_wide(type, at);
    return size == 2 ? load_16(type, at) : load_8(type, *at);
}

/* For 64 bits: integers that a double cannot distinguish. */
static bool is_equal_64(int32_t type, const void *actual, const void *expected, uint32_t index)
{
    return type == HY_TENSOR_FLOAT64 || hy_operand_type_bytes(type) != 8 ||
           memcmp((const uint64_t *)actual + index, (const uint64_t *)expected + index, 8) == 0;
}

/* False for a NaN on either side, as every comparison with one is. Nothing is close to infinity. */
static bool is_close(double actual, double expected, struct tolerance tolerance)
{
    if (isinf(actual) || isinf(expected))
        return actual == expected;
    return fabs(actual - expected) <= tolerance.absolute + tolerance.relative * fabs(expected);
}

enum hy_code hy_compare_values(int32_t type, bool half_exact,
                               const struct hy_vector_value *expected, const void *actual,
                               struct hy_error *err)
{
    const struct tolerance tolerance = tolerance_of(type, half_exact);
    uint32_t wrong = 0, first = 0;
    for (uint32_t i = 0; i < expected->count; i++)
        if (!(is_close(load(type, actual, i), load(type, expected->bytes, i), tolerance) &&
              is_equal_64(type, actual, expected->bytes, i)) &&
            wrong++ == 0)
            first = i;
    if (wrong == 0)
        return HY_OK;
    return hy_fail(err, HY_FAILED, "element %u is %.9g, expected %.9g; %u of %u are wrong", first,
                   load(type, actual, first), load(type, expected->bytes, first), wrong,
                   expected->count);
}

static double sum_of_exponentials(int32_t type, const struct hy_vector_value *logits)
{
    double sum = 0;
    for (uint32_t c = 0; c < logits->count; c++)
        sum += exp(load(type, logits->bytes, c));
    return sum;
}

enum hy_code hy_compare_multinomial(int32_t logits_type, const struct hy_vector_value *logits,
                                    double tolerance, uint32_t count, const int32_t *samples,
                                    struct hy_error *err)
{
    const double sum = sum_of_exponentials(logits_type, logits);
    uint32_t known = 0;
    for (uint32_t c = 0; c < logits->count; c++) {
        uint32_t times = 0;
        for (uint32_t i = 0; i < count; i++)
            times += samples[i] == (int32_t)c;
        known += times;

        const double share = (double)times / count;
        const double expected = exp(load(logits_type, logits->bytes, c)) / sum;
        if (!(fabs(share - expected) <= tolerance))
            return hy_fail(err, HY_FAILED, "class %u is %g of %u samples, expected %g within %g", c,
                           share, count, expected, tolerance);
    }
    if (known != count)
        return hy_fail(err, HY_FAILED, "%u of %u samples have a class out of range", count - known,
                       count);
    return HY_OK;
}
