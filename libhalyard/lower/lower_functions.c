#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

#include <math.h>

/* Functions that NNAPI has not, of operations that it has. */

/* 1 - 2 sin(x / 2)^2: halves are exact, so that the error does not grow with x. */
void hy_lower_cos(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *like = hy_input(lowering, 0);
    const uint32_t half =
        hy_emit_binary(lowering, ANEURALNETWORKS_MUL, hy_input_operand(lowering, 0),
                       hy_number_operand(lowering, 0.5f), like);
    const uint32_t sine = hy_emit_unary(lowering, ANEURALNETWORKS_SIN, half, like);
    const uint32_t doubled = hy_emit_binary(lowering, ANEURALNETWORKS_ADD, sine, sine, like);
    const uint32_t square = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, sine, doubled, like);
    hy_emit_output_binary(lowering, ANEURALNETWORKS_SUB, hy_number_operand(lowering, 1.0f), square);
}

/* Of integers x limited to -1 and 1. Of floats x is first made large: 2^150 times the smallest
 * float is 2. */
void hy_lower_sign(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *like = hy_input(lowering, 0);
    const uint32_t x = hy_input_operand(lowering, 0);

    if (hy_is_integer(like)) {
        const uint32_t least = hy_emit_binary(lowering, ANEURALNETWORKS_MAXIMUM, x,
                                              hy_integer_operand(lowering, -1), like);
        hy_emit_output_binary(lowering, ANEURALNETWORKS_MINIMUM, least,
                              hy_integer_operand(lowering, 1));
        return;
    }
    const uint32_t factor = hy_number_operand(lowering, 0x1p75f);
    const uint32_t large = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, x, factor, like);
    hy_push(lowering, large);
    hy_push(lowering, factor);
    hy_push_activation(lowering, HY_ACTIVATION_RELU1);
    hy_emit(lowering, ANEURALNETWORKS_MUL);
}

/* To the nearest integer, halves to the even one. From 2^23 on floats are integers, and adding
 * 2^23 to a smaller one rounds it so; max(.., floor |x|) brings back the large ones. */
void hy_lower_round(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *like = hy_input(lowering, 0);
    const uint32_t x = hy_input_operand(lowering, 0);
    const uint32_t whole = hy_number_operand(lowering, 0x1p23f);
    const uint32_t size = hy_emit_unary(lowering, ANEURALNETWORKS_ABS, x, like);
    const uint32_t small = hy_emit_binary(lowering, ANEURALNETWORKS_MINIMUM, size, whole, like);
    const uint32_t sum = hy_emit_binary(lowering, ANEURALNETWORKS_ADD, small, whole, like);
    const uint32_t rounded = hy_emit_binary(lowering, ANEURALNETWORKS_SUB, sum, whole, like);
    const uint32_t down = hy_emit_unary(lowering, ANEURALNETWORKS_FLOOR, size, like);
    const uint32_t result = hy_emit_binary(lowering, ANEURALNETWORKS_MAXIMUM, rounded, down, like);
    const uint32_t negative = hy_emit_unary(lowering, ANEURALNETWORKS_NEG, result, like);
    const uint32_t is_negative =
        hy_emit_compare(lowering, ANEURALNETWORKS_LESS, x, hy_number_operand(lowering, 0.0f), like);
    hy_push(lowering, is_negative);
    hy_push(lowering, negative);
    hy_push(lowering, result);
    hy_emit(lowering, ANEURALNETWORKS_SELECT);
}

/* ---- GELU ------------------------------------------------------------------------------------ */

static float gelu(float x)
{
    return x * 0.5f * erfcf(x * -0.70710678f);
}

static float approximate_gelu(float x)
{
    return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

/* max(x, 0) - |x| / 2 erfc(|x| / sqrt 2), which is as exact below 0 as above. The complement of the
 * error function is exp(-x^2 / 2) P(t) with t = 1 / (1 + 0.3 |x|), within 1e-7 of the result: P is
 * fitted by least squares that are weighted anew until the largest error is the least. Beyond 20
 * the complement is 0. */
static void lower_exact_gelu(struct hy_lowering *lowering)
{
    static const float coefficients[] = {
        1.239848983834095e-05f, 0.23902013456404436f,  0.24342428097862023f,
        0.1914242453484061f,    0.2791261709524551f,   -0.14265686618571424f,
        0.446637124600554f,     -0.33233340680300183f, 0.0753458400137191f};
    const struct hy_graph_tensor *like = hy_input(lowering, 0);
    const uint32_t x = hy_input_operand(lowering, 0), one = hy_number_operand(lowering, 1.0f);
    const uint32_t size = hy_emit_unary(lowering, ANEURALNETWORKS_ABS, x, like);
    const uint32_t limited = hy_emit_binary(lowering, ANEURALNETWORKS_MINIMUM, size,
                                            hy_number_operand(lowering, 20.0f), like);

    uint32_t t = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, limited,
                                hy_number_operand(lowering, 0.3f), like);
    t = hy_emit_binary(lowering, ANEURALNETWORKS_ADD, t, one, like);
    t = hy_emit_binary(lowering, ANEURALNETWORKS_DIV, one, t, like);
    const uint32_t p = hy_emit_polynomial(lowering, t, coefficients, 9, like);

    const uint32_t half = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, limited,
                                         hy_number_operand(lowering, -0.5f), like);
    uint32_t tail = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, half, limited, like);
    tail = hy_emit_unary(lowering, ANEURALNETWORKS_EXP, tail, like);
    tail = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, tail, p, like);
    tail = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, tail, half, like);
    const uint32_t positive = hy_emit_unary(lowering, ANEURALNETWORKS_RELU, x, like);
    hy_emit_output_binary(lowering, ANEURALNETWORKS_ADD, positive, tail);
}

/* sqrt(2 / pi) (x + 0.044715 x^3) */
static uint32_t tanh_argument(struct hy_lowering *lowering, uint32_t x,
                              const struct hy_graph_tensor *like)
{
    static const float factors[] = {0.79788456f, 0.79788456f * 0.044715f};
    const uint32_t square = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, x, x, like);
    const uint32_t factor = hy_emit_polynomial(lowering, square, factors, 2, like);
    return hy_emit_binary(lowering, ANEURALNETWORKS_MUL, x, factor, like);
}

/* x / 2 (1 + tanh(..)) */
static void lower_approximate_gelu(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *like = hy_input(lowering, 0);
    const uint32_t x = hy_input_operand(lowering, 0);
    uint32_t step = tanh_argument(lowering, x, like);

    step = hy_emit_unary(lowering, ANEURALNETWORKS_TANH, step, like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_ADD, step, hy_number_operand(lowering, 1.0f),
                          like);
    const uint32_t half =
        hy_emit_binary(lowering, ANEURALNETWORKS_MUL, x, hy_number_operand(lowering, 0.5f), like);
    hy_emit_output_binary(lowering, ANEURALNETWORKS_MUL, half, step);
}

void hy_lower_gelu(struct hy_lowering *lowering)
{
    const bool approximate = lowering->node->attributes.gelu.approximate;

    if (hy_is_byte(hy_input(lowering, 0)))
        hy_lower_byte_function(lowering, approximate ? approximate_gelu : gelu);
    else if (approximate)
        lower_approximate_gelu(lowering);
    else
        lower_exact_gelu(lowering);
}

/* ---- ELU ------------------------------------------------------------------------------------- */

static float elu(float x)
{
    return x < 0.0f ? expf(x) - 1.0f : x;
}

void hy_lower_elu(struct hy_lowering *lowering)
{
    if (hy_is_byte(hy_input(lowering, 0))) {
        hy_lower_byte_function(lowering, elu);
        return;
    }
    hy_push_input(lowering, 0);
    hy_push_float(lowering, 1.0f);
    hy_emit(lowering, ANEURALNETWORKS_ELU);
}

/* ---- FAKE_QUANT ------------------------------------------------------------------------------ */

/* Real numbers rounded to the steps of a quantisation whose zero is a step. */
void hy_lower_fake_quant(struct hy_lowering *lowering)
{
    const struct hy_attributes_fake_quant *attributes = &lowering->node->attributes.fake_quant;
    const struct hy_graph_tensor *like = hy_input(lowering, 0);
    const bool fits = attributes->bits >= 2 && attributes->bits <= 16 && attributes->low <= 0.0f &&
                      attributes->high >= 0.0f && attributes->high > attributes->low;

    hy_expect(lowering, fits, "a range without 0, or of this many bits");
    if (lowering->code != HY_OK)
        return;
    const float least = attributes->narrow_range ? 1.0f : 0.0f;
    const float most = (float)((1 << attributes->bits) - 1);
    const float scale = (attributes->high - attributes->low) / (most - least);
    const float zero = fminf(fmaxf(roundf(least - attributes->low / scale), least), most);
    const float low = (least - zero) * scale, high = (most - zero) * scale;

    uint32_t step = hy_emit_binary(lowering, ANEURALNETWORKS_MAXIMUM, hy_input_operand(lowering, 0),
                                   hy_number_operand(lowering, low), like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_MINIMUM, step,
                          hy_number_operand(lowering, high), like);
    step =
        hy_emit_binary(lowering, ANEURALNETWORKS_SUB, step, hy_number_operand(lowering, low), like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, step,
                          hy_number_operand(lowering, 1.0f / scale), like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_ADD, step, hy_number_operand(lowering, 0.5f),
                          like);
    step = hy_emit_unary(lowering, ANEURALNETWORKS_FLOOR, step, like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, step, hy_number_operand(lowering, scale),
                          like);
    hy_emit_output_binary(lowering, ANEURALNETWORKS_ADD, step, hy_number_operand(lowering, low));
}
