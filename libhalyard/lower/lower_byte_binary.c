#include "libhalyard/lower/byte_table.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/fixed_point.h"
#include "libhalyard/lower/operations.h"

#include <math.h>

/* Functions of two inputs of 8 bits that NNAPI has not, by tables of all pairs: integers as
 * TensorFlow Lite's kernels compute them. */

struct pair {
    int32_t zero_point[3]; /* of the inputs and of the output */
    struct hy_multiplier multiplier[3];
    double factor;     /* real, of a quotient of stored differences */
    int32_t low, high; /* of the output's stored values, after a fused activation */
};

static struct pair pair_of(struct hy_lowering *lowering)
{
    hy_expect(lowering,
              hy_is_byte(hy_input(lowering, 0)) && hy_is_byte(hy_input(lowering, 1)) &&
                  hy_is_byte(hy_output(lowering, 0)),
              "one tensor of 8 bits beside others");
    return (struct pair){.zero_point = {hy_byte_zero_point(lowering, hy_input(lowering, 0)),
                                        hy_byte_zero_point(lowering, hy_input(lowering, 1)),
                                        hy_byte_zero_point(lowering, hy_output(lowering, 0))}};
}

/* The stored values of the output that a fused activation leaves. */
static void limit_to_activation(struct hy_lowering *lowering, struct pair *pair)
{
    static const float limits[][2] = {[HY_ACTIVATION_NONE] = {-INFINITY, INFINITY},
                                      [HY_ACTIVATION_RELU] = {0.0f, INFINITY},
                                      [HY_ACTIVATION_RELU1] = {-1.0f, 1.0f},
                                      [HY_ACTIVATION_RELU6] = {0.0f, 6.0f}};
    const enum hy_activation activation = lowering->node->attributes.binary.activation;
    const float scale = hy_scale_of(hy_output(lowering, 0));

    hy_expect(lowering, activation <= HY_ACTIVATION_RELU6, "this fused activation");
    if (lowering->code != HY_OK)
        return;
    const float low = fmaxf(roundf(limits[activation][0] / scale), -1024.0f);
    const float high = fminf(roundf(limits[activation][1] / scale), 1024.0f);
    pair->low = pair->zero_point[2] + (int32_t)low;
    pair->high = pair->zero_point[2] + (int32_t)high;
}

/* ---- SQUARED_DIFFERENCE ---------------------------------------------------------------------- */

enum { DIFFERENCE_SHIFT = 7 }; /* bits below the steps of the inputs */

/* Both inputs in steps of twice the larger scale, with 7 more bits. */
static int64_t squared_difference(const void *context, int32_t a, int32_t b)
{
    const struct pair *pair = context;
    const int32_t x =
        hy_multiply((a - pair->zero_point[0]) * (1 << DIFFERENCE_SHIFT), pair->multiplier[0]);
    const int32_t y =
        hy_multiply((b - pair->zero_point[1]) * (1 << DIFFERENCE_SHIFT), pair->multiplier[1]);
    return (int64_t)hy_multiply((x - y) * (x - y), pair->multiplier[2]) + pair->zero_point[2];
}

void hy_lower_byte_squared_difference(struct hy_lowering *lowering)
{
    const double a = (double)hy_scale_of(hy_input(lowering, 0));
    const double b = (double)hy_scale_of(hy_input(lowering, 1));
    const double steps = 2.0 * fmax(a, b);
    struct pair pair = pair_of(lowering);

    pair.multiplier[0] = hy_multiplier_of(a / steps);
    pair.multiplier[1] = hy_multiplier_of(b / steps);
    pair.multiplier[2] = hy_multiplier_of(steps * steps / (double)(1 << 2 * DIFFERENCE_SHIFT) /
                                          (double)hy_scale_of(hy_output(lowering, 0)));
    hy_emit_byte_pair_table(lowering, squared_difference, &pair);
}

/* ---- MUL ------------------------------------------------------------------------------------- */

static int64_t limited(const struct pair *pair, int64_t value)
{
    return value < pair->low ? pair->low : value > pair->high ? pair->high : value;
}

static int64_t product(const void *context, int32_t a, int32_t b)
{
    const struct pair *pair = context;
    const int32_t steps =
        hy_multiply((a - pair->zero_point[0]) * (b - pair->zero_point[1]), pair->multiplier[0]);
    return limited(pair, (int64_t)steps + pair->zero_point[2]);
}

void hy_lower_byte_mul(struct hy_lowering *lowering)
{
    const float a = hy_scale_of(hy_input(lowering, 0)), b = hy_scale_of(hy_input(lowering, 1));
    struct pair pair = pair_of(lowering);

    limit_to_activation(lowering, &pair);
    pair.multiplier[0] = hy_multiplier_of((double)(a * b / hy_scale_of(hy_output(lowering, 0))));
    hy_emit_byte_pair_table(lowering, product, &pair);
}

/* ---- DIV ------------------------------------------------------------------------------------- */

/* A quotient by 0 is as large as the type can hold, with the sign of the dividend. */
static int64_t quotient(const void *context, int32_t a, int32_t b)
{
    const struct pair *pair = context;
    const int32_t dividend = a - pair->zero_point[0], divisor = b - pair->zero_point[1];

    if (divisor == 0)
        return dividend == 0 ? pair->zero_point[2] : dividend > 0 ? INT32_MAX : INT32_MIN;
    const double steps = round((double)dividend / divisor * pair->factor);
    return limited(pair, pair->zero_point[2] + (int64_t)fmax(fmin(steps, 1024.0), -1024.0));
}

void hy_lower_byte_div(struct hy_lowering *lowering)
{
    const float a = hy_scale_of(hy_input(lowering, 0)), b = hy_scale_of(hy_input(lowering, 1));
    struct pair pair = pair_of(lowering);

    limit_to_activation(lowering, &pair);
    pair.factor = (double)(a / (b * hy_scale_of(hy_output(lowering, 0))));
    hy_emit_byte_pair_table(lowering, quotient, &pair);
}

/* ---- FLOOR_DIV and FLOOR_MOD, of integers without a scale -------------------------------------
 */

/* Rounded down. A quotient by 0 is 0. */
static int64_t floor_quotient(const void *context, int32_t a, int32_t b)
{
    (void)context;
    if (b == 0)
        return 0;
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t floor_remainder(const void *context, int32_t a, int32_t b)
{
    return a - floor_quotient(context, a, b) * b;
}

void hy_lower_byte_floor_div(struct hy_lowering *lowering)
{
    hy_emit_byte_pair_table(lowering, floor_quotient, NULL);
}

void hy_lower_byte_floor_mod(struct hy_lowering *lowering)
{
    hy_emit_byte_pair_table(lowering, floor_remainder, NULL);
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

enum { COMPARISON_SHIFT = 8 }; /* bits below 1 */

static int64_t compared(const void *context, int32_t a, int32_t b)
{
    const struct pair *pair = context;
    (void)b;
    return hy_multiply((a - pair->zero_point[0]) * (1 << COMPARISON_SHIFT), pair->multiplier[0]);
}

/* An input in steps of 2^-8, rounded. */
static uint32_t compared_operand(struct hy_lowering *lowering, uint32_t input)
{
    struct pair pair = {.zero_point = {hy_byte_zero_point(lowering, hy_input(lowering, input))}};
    pair.multiplier[0] = hy_multiplier_of((double)hy_scale_of(hy_input(lowering, input)));
    return hy_byte_integers_operand(lowering, input, compared, &pair);
}

/* NNAPI compares 8 bits of different scales as real numbers, TensorFlow Lite in steps of 2^-8. */
void hy_lower_compare(struct hy_lowering *lowering, int32_t type)
{
    const struct hy_graph_tensor *a = hy_input(lowering, 0), *b = hy_input(lowering, 1);
    uint32_t operands[2];

    for (uint32_t i = 0; i < 2; i++)
        operands[i] = hy_is_byte(a) && hy_is_byte(b) && !hy_same_quantisation(a, b)
                          ? compared_operand(lowering, i)
                          : hy_input_operand(lowering, i);
    hy_emit_output_binary(lowering, type, operands[0], operands[1]);
}

/* ---- Bits ------------------------------------------------------------------------------------ */

static int64_t exclusive_or(const void *context, int32_t a, int32_t b)
{
    (void)context;
    return a ^ b;
}

void hy_lower_bitwise_xor(struct hy_lowering *lowering)
{
    hy_emit_byte_pair_table(lowering, exclusive_or, NULL);
}

/* Of int8 the sign is shifted in. Shifts beyond 7 are shifts by 7, as are those below 0 by 0. */
static int64_t shifted_right(const void *context, int32_t a, int32_t b)
{
    const int32_t shift = b < 0 ? 0 : b > 7 ? 7 : b;
    (void)context;
    return a >= 0 ? a >> shift : ~(~a >> shift);
}

void hy_lower_byte_right_shift(struct hy_lowering *lowering)
{
    hy_emit_byte_pair_table(lowering, shifted_right, NULL);
}
