#include "libhalyard/graph/constant.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

/* Operators on integers, beyond NNAPI's arithmetic of int32, with what they become on floats. */

void hy_lower_add_n(struct hy_lowering *lowering)
{
    const uint32_t count = lowering->node->input_count;
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    uint32_t sum = hy_input_operand(lowering, 0);

    hy_expect(lowering, count >= 2, "a sum of one tensor");
    for (uint32_t i = 1; i + 1 < count; i++)
        sum = hy_emit_binary(lowering, ANEURALNETWORKS_ADD, sum, hy_input_operand(lowering, i),
                             output);
    hy_emit_output_binary(lowering, ANEURALNETWORKS_ADD, sum,
                          hy_input_operand(lowering, count - 1));
}

/* ---- Quotients and remainders ---------------------------------------------------------------- */

static uint32_t is_negative(struct hy_lowering *lowering, uint32_t operand,
                            const struct hy_graph_tensor *like)
{
    return hy_emit_compare(lowering, ANEURALNETWORKS_LESS, operand, hy_integer_operand(lowering, 0),
                           like);
}

/* NNAPI's DIV of integers rounds down. Towards zero it is |a| / |b|, which is exact, negated where
 * the signs differ. */
void hy_emit_output_integer_div(struct hy_lowering *lowering, uint32_t a, uint32_t b,
                                const struct hy_graph_tensor *a_like,
                                const struct hy_graph_tensor *b_like)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const uint32_t a_negative = is_negative(lowering, a, a_like);
    const uint32_t b_negative = is_negative(lowering, b, b_like);
    const uint32_t differ =
        hy_emit_compare(lowering, ANEURALNETWORKS_NOT_EQUAL, a_negative, b_negative, output);
    const uint32_t a_size = hy_emit_unary(lowering, ANEURALNETWORKS_ABS, a, a_like);
    const uint32_t b_size = hy_emit_unary(lowering, ANEURALNETWORKS_ABS, b, b_like);
    const uint32_t quotient = hy_emit_binary(lowering, ANEURALNETWORKS_DIV, a_size, b_size, output);
    const uint32_t negated = hy_emit_unary(lowering, ANEURALNETWORKS_NEG, quotient, output);

    hy_push(lowering, differ);
    hy_push(lowering, negated);
    hy_push(lowering, quotient);
    hy_emit(lowering, ANEURALNETWORKS_SELECT);
}

/* a - floor(a / b) b, with the sign of b. Of floats a rounded quotient may be one too large or too
 * small: a remainder below 0 or from b on is moved by b, with all signs turned so that b is
 * positive. */
static void lower_float_floor_mod(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const uint32_t a = hy_input_operand(lowering, 0), b = hy_input_operand(lowering, 1);
    const uint32_t zero = hy_number_operand(lowering, 0.0f);

    uint32_t step = hy_emit_binary(lowering, ANEURALNETWORKS_DIV, a, b, output);
    step = hy_emit_unary(lowering, ANEURALNETWORKS_FLOOR, step, output);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, step, b, output);
    const uint32_t rest = hy_emit_binary(lowering, ANEURALNETWORKS_SUB, a, step, output);
    const uint32_t more = hy_emit_binary(lowering, ANEURALNETWORKS_ADD, rest, b, output);
    const uint32_t less = hy_emit_binary(lowering, ANEURALNETWORKS_SUB, rest, b, output);

    /* rest * b < 0: the signs differ; less * b >= 0: the remainder is b or more. */
    step = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, rest, b, output);
    const uint32_t below = hy_emit_compare(lowering, ANEURALNETWORKS_LESS, step, zero, output);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, less, b, output);
    const uint32_t beyond =
        hy_emit_compare(lowering, ANEURALNETWORKS_GREATER_EQUAL, step, zero, output);
    const uint32_t lowered = hy_emit_select(lowering, beyond, less, rest, output);
    hy_push(lowering, below);
    hy_push(lowering, more);
    hy_push(lowering, lowered);
    hy_emit(lowering, ANEURALNETWORKS_SELECT);
}

void hy_lower_floor_mod(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);

    if (hy_is_byte(output)) {
        hy_lower_byte_floor_mod(lowering);
        return;
    }
    if (!hy_is_integer(output)) {
        lower_float_floor_mod(lowering);
        return;
    }
    const uint32_t a = hy_input_operand(lowering, 0), b = hy_input_operand(lowering, 1);
    const uint32_t quotient = hy_emit_binary(lowering, ANEURALNETWORKS_DIV, a, b, output);
    const uint32_t multiple = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, quotient, b, output);
    hy_emit_output_binary(lowering, ANEURALNETWORKS_SUB, a, multiple);
}

/* ---- Powers ---------------------------------------------------------------------------------- */

/* Squares of the base, multiplied where the exponent has a bit. */
static void lower_integer_pow(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *like = hy_input(lowering, 0);
    int64_t exponent = 0;
    const bool known =
        hy_constant_int(hy_input(lowering, 1), &exponent) && exponent >= 1 && exponent <= INT32_MAX;

    hy_expect(lowering, known, "an integer power without one constant exponent of 1 or more");
    if (lowering->code != HY_OK)
        return;
    uint32_t square = hy_input_operand(lowering, 0), product = HY_NO_TENSOR;
    for (; exponent > 1; exponent /= 2) {
        if (exponent % 2)
            product = product == HY_NO_TENSOR
                          ? square
                          : hy_emit_binary(lowering, ANEURALNETWORKS_MUL, product, square, like);
        square = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, square, square, like);
    }
    hy_emit_output_binary(lowering, ANEURALNETWORKS_MUL, square,
                          product == HY_NO_TENSOR ? hy_integer_operand(lowering, 1) : product);
}

void hy_lower_pow(struct hy_lowering *lowering)
{
    if (hy_is_integer(hy_output(lowering, 0))) {
        lower_integer_pow(lowering);
        return;
    }
    hy_push_inputs(lowering);
    hy_emit(lowering, ANEURALNETWORKS_POW);
}

/* ---- Shifts ---------------------------------------------------------------------------------- */

/* Powers of two in the shape of the shifts, of their halves rounded down or up: two divisions that
 * round down, because 2^31 is no int32. */
static uint32_t power_operand(struct hy_lowering *lowering, uint32_t shift, bool up,
                              const struct hy_graph_tensor *like)
{
    static const uint32_t count = 32;
    const struct hy_graph_tensor numbers = {.element = HY_ELEMENT_INT32};
    int32_t powers[32];

    for (int32_t i = 0; i < 32; i++)
        powers[i] = INT32_C(1) << (i + up) / 2;
    const uint32_t power = hy_temporary_operand(lowering, like);
    hy_push(lowering,
            hy_constant_operand_like(lowering, &numbers, 1, &count, powers, sizeof powers));
    hy_push_int(lowering, 0);
    hy_push(lowering, shift);
    hy_emit_to(lowering, ANEURALNETWORKS_GATHER, power);
    return power;
}

/* Shifts below 0 are shifts by 0, those beyond 31 by 31. */
void hy_lower_right_shift(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *by = hy_input(lowering, 1), *output = hy_output(lowering, 0);

    if (hy_is_byte(output)) {
        hy_lower_byte_right_shift(lowering);
        return;
    }
    uint32_t shift =
        hy_emit_binary(lowering, ANEURALNETWORKS_MAXIMUM, hy_input_operand(lowering, 1),
                       hy_integer_operand(lowering, 0), by);
    shift = hy_emit_binary(lowering, ANEURALNETWORKS_MINIMUM, shift,
                           hy_integer_operand(lowering, 31), by);
    const uint32_t first = power_operand(lowering, shift, false, by);
    const uint32_t second = power_operand(lowering, shift, true, by);
    const uint32_t half =
        hy_emit_binary(lowering, ANEURALNETWORKS_DIV, hy_input_operand(lowering, 0), first, output);
    hy_emit_output_binary(lowering, ANEURALNETWORKS_DIV, half, second);
}
