#include "libhalyard/lower/int32.h"

#include <math.h>

/* ---- Single operations ----------------------------------------------------------------------- */

static uint32_t cast(struct hy_lowering *lowering, uint32_t operand, enum hy_element element,
                     const uint32_t extents[2])
{
    const struct hy_graph_tensor like = {.element = element};
    const uint32_t result = hy_temporary_operand_of(lowering, &like, 2, extents);

    hy_push(lowering, operand);
    hy_emit_to(lowering, ANEURALNETWORKS_CAST, result);
    return result;
}

struct hy_int32 hy_int32_of_float(struct hy_lowering *lowering, uint32_t operand,
                                  const uint32_t extents[2])
{
    return (struct hy_int32){cast(lowering, operand, HY_ELEMENT_INT32, extents),
                             {extents[0], extents[1]}};
}

uint32_t hy_int32_as_float(struct hy_lowering *lowering, struct hy_int32 a)
{
    return cast(lowering, a.operand, HY_ELEMENT_FLOAT32, a.extents);
}

struct hy_int32 hy_int32_apply(struct hy_lowering *lowering, int32_t operation, struct hy_int32 a,
                               uint32_t b)
{
    const struct hy_graph_tensor like = {.element = HY_ELEMENT_INT32};
    const uint32_t result = hy_temporary_operand_of(lowering, &like, 2, a.extents);

    hy_push(lowering, a.operand);
    hy_push(lowering, b);
    if (operation != ANEURALNETWORKS_MINIMUM && operation != ANEURALNETWORKS_MAXIMUM)
        hy_push_activation(lowering, HY_ACTIVATION_NONE);
    hy_emit_to(lowering, operation, result);
    return (struct hy_int32){result, {a.extents[0], a.extents[1]}};
}

struct hy_int32 hy_int32_apply_number(struct hy_lowering *lowering, int32_t operation,
                                      struct hy_int32 a, int32_t b)
{
    const uint32_t one = 1;
    const ANeuralNetworksOperandType type = {
        .type = ANEURALNETWORKS_TENSOR_INT32, .dimensionCount = 1, .dimensions = &one};

    return hy_int32_apply(lowering, operation, a,
                          hy_constant_operand(lowering, &type, &b, sizeof b));
}

static struct hy_int32 add(struct hy_lowering *lowering, struct hy_int32 a, struct hy_int32 b)
{
    return hy_int32_apply(lowering, ANEURALNETWORKS_ADD, a, b.operand);
}

static struct hy_int32 subtract(struct hy_lowering *lowering, struct hy_int32 a, struct hy_int32 b)
{
    return hy_int32_apply(lowering, ANEURALNETWORKS_SUB, a, b.operand);
}

static struct hy_int32 multiply(struct hy_lowering *lowering, struct hy_int32 a, int32_t b)
{
    return hy_int32_apply_number(lowering, ANEURALNETWORKS_MUL, a, b);
}

static struct hy_int32 divide(struct hy_lowering *lowering, struct hy_int32 a, int32_t b)
{
    return hy_int32_apply_number(lowering, ANEURALNETWORKS_DIV, a, b);
}

/* ---- Numbers of two parts -------------------------------------------------------------------- */

/* a = high * 2^bits + low, with 0 <= low < 2^bits. */
struct parts {
    struct hy_int32 high, low;
};

static struct parts split(struct hy_lowering *lowering, struct hy_int32 a, int bits)
{
    const int32_t unit = (int32_t)1 << bits;
    const struct hy_int32 high = divide(lowering, a, unit);

    return (struct parts){high, subtract(lowering, a, multiply(lowering, high, unit))};
}

/* Digits of 15 bits: a product of two fits int32. */
enum { DIGIT = 15 };

/* floor((a * digit + carry) / 2^15); carry.low is added to the low part, and carry.high to the
 * result. */
static struct hy_int32 multiply_digit(struct hy_lowering *lowering, struct parts a, int32_t digit,
                                      const struct parts *carry)
{
    struct hy_int32 low = multiply(lowering, a.low, digit);
    struct hy_int32 high = multiply(lowering, a.high, digit);

    if (carry) {
        low = add(lowering, low, carry->low);
        high = add(lowering, high, carry->high);
    }
    return add(lowering, high, divide(lowering, low, (int32_t)1 << DIGIT));
}

/* ---- Fixed point ----------------------------------------------------------------------------- */

/* floor(a * mantissa / 2^31 + 1/2), with a mantissa from 2^30 to 2^31 - 1: the mantissa's digits
 * are multiplied from the lowest, and the highest bit, which is always 1, is `a` itself. The half
 * of the sum of `a` and the product of the other bits, rounded up, cannot overflow as
 * a - floor((a - product) / 2). */
static struct hy_int32 high_product(struct hy_lowering *lowering, struct hy_int32 a,
                                    int32_t mantissa)
{
    const int32_t most = ((int32_t)1 << DIGIT) - 1;
    const struct parts parts = split(lowering, a, DIGIT);
    struct hy_int32 product = multiply_digit(lowering, parts, mantissa & most, NULL);
    const struct parts carry = split(lowering, product, DIGIT);

    product = multiply_digit(lowering, parts, mantissa >> DIGIT & most, &carry);
    return subtract(lowering, a, divide(lowering, subtract(lowering, a, product), 2));
}

/* a / 2^bits, half away from zero: halves below zero need one less to be rounded down. */
static struct hy_int32 shift_right(struct hy_lowering *lowering, struct hy_int32 a, int bits)
{
    const struct parts parts = split(lowering, a, bits);
    struct hy_int32 sign = hy_int32_apply_number(lowering, ANEURALNETWORKS_MINIMUM, a, 0);

    sign = hy_int32_apply_number(lowering, ANEURALNETWORKS_MAXIMUM, sign, -1);
    struct hy_int32 low = add(lowering, parts.low, sign);
    low = hy_int32_apply_number(lowering, ANEURALNETWORKS_ADD, low, (int32_t)1 << (bits - 1));
    return add(lowering, parts.high, divide(lowering, low, (int32_t)1 << bits));
}

/* A multiplier is mantissa * 2^(exponent - 31). */
struct multiplier {
    int32_t mantissa;
    int exponent;
};

static struct multiplier multiplier_of(double real)
{
    struct multiplier multiplier;
    const double half_to_one = frexp(real, &multiplier.exponent);
    const double mantissa = round(half_to_one * 0x1p31);

    if (mantissa < 0x1p31) {
        multiplier.mantissa = (int32_t)mantissa;
    } else {
        multiplier.mantissa = (int32_t)1 << 30;
        multiplier.exponent++;
    }
    return multiplier;
}

struct hy_int32 hy_int32_scale(struct hy_lowering *lowering, struct hy_int32 a, double real)
{
    const bool fits = real >= 0x1p-31 && real < 0x1p30;

    hy_expect(lowering, fits, "scales so far apart");
    if (!fits)
        return a;
    const struct multiplier multiplier = multiplier_of(real);
    if (multiplier.exponent > 0)
        a = multiply(lowering, a, (int32_t)1 << multiplier.exponent);
    a = high_product(lowering, a, multiplier.mantissa);
    return multiplier.exponent < 0 ? shift_right(lowering, a, -multiplier.exponent) : a;
}
