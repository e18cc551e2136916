#include "tests/unit/tools/operators/op_builder.h"

/* ---- One input ------------------------------------------------------------------------------- */

void hy_op_unary(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &x);
}

/* The output has a scale of its own. */
void hy_op_unary_scaled(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    const struct hy_op_tensor y = hy_op_scaled(&x, x.scale * hy_op_real(op_builder, 0.5f, 2.0f),
                                               hy_op_zero_point(op_builder, x.type));
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &y);
}

/* Either the same scale or another. */
void hy_op_rectifier(struct hy_op_builder *op_builder)
{
    if (hy_op_pick(op_builder, 2))
        hy_op_unary(op_builder);
    else
        hy_op_unary_scaled(op_builder);
}

/* Halves, integers beyond 2^23 and all between. */
void hy_op_round(struct hy_op_builder *op_builder)
{
    static const float limits[] = {0.75f, 4.0f, 1000.0f, 0x1p22f, 0x1p24f, 0x1p40f};
    struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    x.high = limits[hy_op_pick(op_builder, 6)];
    x.low = -x.high;
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &x);
}

/* Nothing below 0. */
void hy_op_rsqrt(struct hy_op_builder *op_builder)
{
    struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    const struct hy_op_tensor y = hy_op_scaled(&x, x.scale * hy_op_real(op_builder, 0.5f, 2.0f),
                                               hy_op_zero_point(op_builder, x.type));
    if (x.type == HY_TFLITE_INT8)
        x = hy_op_scaled(&x, x.scale, -128);
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &y);
}

void hy_op_gelu(struct hy_op_builder *op_builder)
{
    hy_op_unary_scaled(op_builder);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_GELU);
    hy_op_option(op_builder, 0, 1, hy_op_pick(op_builder, 2));
}

void hy_op_fake_quant(struct hy_op_builder *op_builder)
{
    hy_op_unary(op_builder);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_FAKE_QUANT);
    hy_op_option_float(op_builder, 0, hy_op_real(op_builder, -8.0f, 0.0f));
    hy_op_option_float(op_builder, 1, hy_op_real(op_builder, 0.5f, 8.0f));
    hy_op_option(op_builder, 2, 4, hy_op_between(op_builder, 2, 16));
    hy_op_option(op_builder, 3, 1, 0); /* a narrow range is for weights */
}

void hy_op_leaky_relu(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    const struct hy_op_tensor y = hy_op_scaled(&x, x.scale * hy_op_real(op_builder, 0.8f, 2.0f),
                                               hy_op_zero_point(op_builder, x.type));
    hy_op_input(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_LEAKY_RELU);
    hy_op_option_float(op_builder, 0, hy_op_real(op_builder, 0.01f, 0.9f));
    hy_op_output(op_builder, &y);
}

/* The output's quantisation where the operator's definition fixes it: 1 / `parts` a step, of int16
 * 2^-15. */
static struct hy_op_tensor fixed(const struct hy_op_tensor *x, int parts, int64_t signed_zero)
{
    if (x->type == HY_TFLITE_INT16)
        return hy_op_scaled(x, 0x1p-15f, 0);
    return hy_op_scaled(x, 1.0f / (float)parts,
                        x->type == HY_TFLITE_UINT8 ? signed_zero + 128 : signed_zero);
}

void hy_op_unary_fixed(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    const struct hy_op_tensor y =
        op_builder->row->op == HY_TFLITE_OP_TANH ? fixed(&x, 128, 0) : fixed(&x, 256, -128);
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &y);
}

void hy_op_softmax(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    const struct hy_op_tensor y = fixed(&x, 256, -128);
    hy_op_input(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_SOFTMAX);
    hy_op_option_float(op_builder, 0,
                       hy_op_pick(op_builder, 2) ? 1.0f : hy_op_real(op_builder, 0.2f, 2.0f));
    hy_op_output(op_builder, &y);
}

void hy_op_log_softmax(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    const struct hy_op_tensor y =
        hy_op_scaled(&x, 16.0f / 256, x.type == HY_TFLITE_UINT8 ? 255 : 127);
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &y);
}

void hy_op_l2_normalization(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 4, 4);
    const struct hy_op_tensor y = fixed(&x, 128, 0);
    hy_op_input(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_L2_NORM);
    hy_op_output(op_builder, &y);
}

void hy_op_local_response_normalization(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 4, 4);
    hy_op_input(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_LOCAL_RESPONSE_NORMALIZATION);
    hy_op_option(op_builder, 0, 4, hy_op_between(op_builder, 0, 5));
    hy_op_option_float(op_builder, 1, hy_op_real(op_builder, 0.5f, 2.0f));
    hy_op_option_float(op_builder, 2, hy_op_real(op_builder, 0.1f, 2.0f));
    hy_op_option_float(op_builder, 3, hy_op_real(op_builder, 0.2f, 1.0f));
    hy_op_output(op_builder, &x);
}

void hy_op_prelu(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 4, 4);
    const struct hy_op_tensor alpha =
        hy_op_of(op_builder, x.type, 3, (const int32_t[]){1, 1, x.dims[3]});
    const struct hy_op_tensor y = hy_op_scaled(&x, x.scale * hy_op_real(op_builder, 0.8f, 2.0f),
                                               hy_op_zero_point(op_builder, x.type));
    hy_op_input(op_builder, &x);
    hy_op_constant(op_builder, &alpha);
    hy_op_output(op_builder, &y);
}

/* ---- Two inputs ------------------------------------------------------------------------------ */

static bool is_quotient(enum hy_tflite_op op)
{
    return op == HY_TFLITE_OP_DIV || op == HY_TFLITE_OP_FLOOR_DIV || op == HY_TFLITE_OP_FLOOR_MOD;
}

static void draw_divisors(struct hy_op_builder *op_builder, struct hy_op_tensor *y)
{
    const float sign = hy_op_pick(op_builder, 2) ? 1.0f : -1.0f;
    const float zero = hy_op_is_quantised(y->type) ? (float)y->zero_point : 0.0f;
    y->low = zero + (sign > 0 ? 1.0f : -20.0f);
    y->high = zero + (sign > 0 ? 20.0f : -1.0f);
}

/* Both inputs, either the same shape or one that is stretched along some dimensions of the other;
 * gives the first, which has the shape of the result. */
static struct hy_op_tensor add_two_inputs(struct hy_op_builder *op_builder, bool same_scale)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    const uint32_t dropped = hy_op_pick(op_builder, 2) ? 0 : hy_op_pick(op_builder, x.rank);
    struct hy_op_tensor y = hy_op_of(op_builder, x.type, x.rank - dropped, x.dims + dropped);
    if (dropped || hy_op_pick(op_builder, 2)) {
        for (uint32_t i = 0; i < y.rank; i++) {
            if (hy_op_pick(op_builder, 3) == 0)
                y.dims[i] = 1;
        }
    }
    if (same_scale)
        y = hy_op_scaled(&y, x.scale, x.zero_point);
    if (is_quotient(op_builder->row->op)) /* away from 0, whose quotient nobody defines */
        draw_divisors(op_builder, &y);
    if (op_builder->row->op == HY_TFLITE_OP_RIGHT_SHIFT) {
        y.low = -3.0f;
        y.high = 40.0f;
    }
    if (op_builder->row->op == HY_TFLITE_OP_POW) {
        y.low = -2.0f;
        y.high = 3.0f;
    }
    hy_op_input(op_builder, &x);
    hy_op_input(op_builder, &y);
    return x;
}

static enum hy_tflite_options_kind arithmetic_kind(enum hy_tflite_op op)
{
    switch (op) {
    case HY_TFLITE_OP_ADD:
        return HY_TFLITE_OPTIONS_ADD;
    case HY_TFLITE_OP_SUB:
        return HY_TFLITE_OPTIONS_SUB;
    case HY_TFLITE_OP_MUL:
        return HY_TFLITE_OPTIONS_MUL;
    default:
        return HY_TFLITE_OPTIONS_DIV;
    }
}

void hy_op_arithmetic(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = add_two_inputs(op_builder, false);
    const float wide = op_builder->row->op == HY_TFLITE_OP_MUL ? 5.0f : 2.0f;
    const float usual = x.scale * wide * hy_op_real(op_builder, 0.5f, 1.5f) + 0.05f;
    const float scale =
        hy_op_pick(op_builder, 4) ? usual : usual * hy_op_real(op_builder, 0.01f, 0.2f);
    const struct hy_op_tensor y = hy_op_scaled(&x, scale, hy_op_zero_point(op_builder, x.type));
    hy_op_options(op_builder, arithmetic_kind(op_builder->row->op));
    hy_op_option_activation(op_builder, 0);
    hy_op_output(op_builder, &y);
}

/* Inputs and outputs have their own scales, if any. */
void hy_op_two(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = add_two_inputs(op_builder, false);
    hy_op_output(op_builder, &x);
}

/* The difference is at most twice the range of the larger scale. */
void hy_op_squared_difference(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = add_two_inputs(op_builder, false);
    const struct hy_op_tensor y =
        hy_op_scaled(&x, x.scale * x.scale * 100.0f * hy_op_real(op_builder, 0.2f, 2.0f),
                     hy_op_zero_point(op_builder, x.type));
    hy_op_output(op_builder, &y);
}

void hy_op_add_n(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    const uint32_t count = 2 + hy_op_pick(op_builder, 4);
    for (uint32_t i = 0; i < count; i++)
        hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &x);
}

void hy_op_atan2(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    hy_op_input(op_builder, &x);
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &x);
}

/* An exponent that integers have is one constant. */
void hy_op_pow(struct hy_op_builder *op_builder)
{
    if (op_builder->type != HY_TFLITE_INT32) {
        hy_op_binary(op_builder);
        return;
    }
    struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    x.low = -12.0f;
    x.high = 12.0f;
    hy_op_input(op_builder, &x);
    hy_op_int(op_builder, hy_op_between(op_builder, 1, 9));
    hy_op_output(op_builder, &x);
}

void hy_op_binary(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = add_two_inputs(op_builder, true);
    hy_op_output(op_builder, &x);
}

static void give_bool(struct hy_op_builder *op_builder, const struct hy_op_tensor *x)
{
    const struct hy_op_tensor y = hy_op_of(op_builder, HY_TFLITE_BOOL, x->rank, x->dims);
    hy_op_output(op_builder, &y);
}

void hy_op_compare(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = add_two_inputs(op_builder, hy_op_pick(op_builder, 2));
    give_bool(op_builder, &x);
}

void hy_op_logical(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = add_two_inputs(op_builder, false);
    give_bool(op_builder, &x);
}

void hy_op_select(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    const struct hy_op_tensor condition = hy_op_of(op_builder, HY_TFLITE_BOOL, x.rank, x.dims);
    hy_op_input(op_builder, &condition);
    hy_op_input(op_builder, &x);
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &x);
}

/* Any dimension of any input may be 1, and leading ones missing. */
void hy_op_select_v2(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor y = hy_op_any(op_builder, 1, 4);
    const struct hy_op_tensor condition = hy_op_of(op_builder, HY_TFLITE_BOOL, y.rank, y.dims);

    for (int i = 0; i < 3; i++) {
        const struct hy_op_tensor *whole = i == 0 ? &condition : &y;
        const uint32_t dropped = i == 2 ? 0 : hy_op_pick(op_builder, y.rank + 1);
        struct hy_op_tensor x = hy_op_shaped(whole, y.rank - dropped, y.dims + dropped);
        for (uint32_t j = 0; j < x.rank && i != 2; j++) {
            if (hy_op_pick(op_builder, 3) == 0)
                x.dims[j] = 1;
        }
        hy_op_input(op_builder, &x);
    }
    hy_op_output(op_builder, &y);
}

/* ---- From type to type ----------------------------------------------------------------------- */

void hy_op_cast(struct hy_op_builder *op_builder)
{
    static const enum hy_tflite_type types[] = {HY_TFLITE_FLOAT32, HY_TFLITE_INT32, HY_TFLITE_UINT8,
                                                HY_TFLITE_BOOL, HY_TFLITE_INT64};
    struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    if (x.type != HY_TFLITE_UINT8 &&
        x.type != HY_TFLITE_BOOL) { /* what every type holds: the others saturate or wrap */
        x.low = 0.0f;
        x.high = 255.0f;
    }
    struct hy_op_tensor y = hy_op_of(op_builder, types[hy_op_pick(op_builder, 5)], x.rank, x.dims);
    if (hy_op_pick(op_builder, 2)) /* plain numbers: the scales mean nothing here */
        x.scale = y.scale = 0.0f;
    hy_op_input(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_CAST);
    hy_op_option(op_builder, 0, 1, x.type);
    hy_op_option(op_builder, 1, 1, y.type);
    hy_op_output(op_builder, &y);
}

/* From floats, or from another quantisation. */
void hy_op_quantize(struct hy_op_builder *op_builder)
{
    static const enum hy_tflite_type types[] = {HY_TFLITE_FLOAT32, HY_TFLITE_INT16, HY_TFLITE_INT8,
                                                HY_TFLITE_UINT8};
    const struct hy_op_tensor y = hy_op_any(op_builder, 1, 4);
    /* TensorFlow Lite takes int16 from the first two, and has no uint8 from int16. */
    uint32_t from = hy_op_pick(op_builder, y.type == HY_TFLITE_INT16 ? 2 : 4);
    if (y.type == HY_TFLITE_UINT8 && types[from] == HY_TFLITE_INT16)
        from = 0;
    const struct hy_op_tensor x = hy_op_of(op_builder, types[from], y.rank, y.dims);
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &y);
}

void hy_op_dequantize(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    const struct hy_op_tensor y = hy_op_of(op_builder, HY_TFLITE_FLOAT32, x.rank, x.dims);
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &y);
}
