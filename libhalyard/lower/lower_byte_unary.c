#include "libhalyard/lower/byte_table.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/fixed_point.h"
#include "libhalyard/lower/operations.h"

#include <math.h>

/* Functions of one input of 8 bits. Where NNAPI has no such form, a table has what TensorFlow Lite
 * computes: on integers for ABS, RSQRT and the rectifiers, on float32 for all else. */

struct scaling {
    float in_scale, out_scale;
    int32_t in_zero_point, out_zero_point;
    struct hy_multiplier multiplier; /* input scale / output scale */
    bool same_scale;
    float (*real)(float x);
    int32_t low, high; /* of a rectifier: stored values of the output */
};

static struct scaling scaling_of(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0), *output = hy_output(lowering, 0);
    struct scaling scaling = {
        .in_scale = hy_scale_of(input),
        .out_scale = hy_scale_of(output),
        .in_zero_point = hy_byte_zero_point(lowering, input),
        .out_zero_point = hy_byte_zero_point(lowering, output),
        .low = INT32_MIN,
        .high = INT32_MAX,
    };

    scaling.multiplier = hy_multiplier_of((double)(scaling.in_scale / scaling.out_scale));
    scaling.same_scale = scaling.in_scale == scaling.out_scale;
    return scaling;
}

/* ---- On integers ----------------------------------------------------------------------------- */

static int64_t absolute(const void *context, int32_t a, int32_t b)
{
    const struct scaling *scaling = context;
    const int32_t value = a - scaling->in_zero_point;
    const int32_t magnitude = value < 0 ? -value : value;

    (void)b;
    return (int64_t)(scaling->same_scale ? magnitude
                                         : hy_multiply(magnitude, scaling->multiplier)) +
           scaling->out_zero_point;
}

static int64_t rectified(const void *context, int32_t a, int32_t b)
{
    const struct scaling *scaling = context;
    const int64_t value = (int64_t)hy_multiply(a - scaling->in_zero_point, scaling->multiplier) +
                          scaling->out_zero_point;

    (void)b;
    return value < scaling->low ? scaling->low : value > scaling->high ? scaling->high : value;
}

static int32_t stored(const struct scaling *scaling, float real)
{
    const float steps = roundf(real / scaling->out_scale);
    return scaling->out_zero_point + (int32_t)fmaxf(fminf(steps, 1024.0f), -1024.0f);
}

static void lower_rectifier(struct hy_lowering *lowering, float low, float high)
{
    struct scaling scaling = scaling_of(lowering);
    scaling.low = stored(&scaling, low);
    scaling.high = stored(&scaling, high);
    hy_emit_byte_table(lowering, rectified, &scaling);
}

void hy_lower_abs(struct hy_lowering *lowering)
{
    if (hy_is_byte(hy_input(lowering, 0))) {
        const struct scaling scaling = scaling_of(lowering);
        hy_emit_byte_table(lowering, absolute, &scaling);
        return;
    }
    hy_push_input(lowering, 0);
    hy_emit(lowering, ANEURALNETWORKS_ABS);
}

/* NNAPI's rectifiers keep the quantisation. */
void hy_lower_rectifier(struct hy_lowering *lowering, int32_t type)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);

    if (!hy_is_byte(input) || hy_same_quantisation(input, hy_output(lowering, 0))) {
        hy_push_input(lowering, 0);
        hy_emit(lowering, type);
    } else if (type == ANEURALNETWORKS_RELU1) {
        lower_rectifier(lowering, -1.0f, 1.0f);
    } else {
        lower_rectifier(lowering, 0.0f, type == ANEURALNETWORKS_RELU6 ? 6.0f : INFINITY);
    }
}

/* Real numbers become max(x, 0), cut off at 1. */
void hy_lower_relu_0_to_1(struct hy_lowering *lowering)
{
    if (hy_is_byte(hy_input(lowering, 0))) {
        lower_rectifier(lowering, 0.0f, 1.0f);
        return;
    }
    const uint32_t positive = hy_emit_unary(lowering, ANEURALNETWORKS_RELU,
                                            hy_input_operand(lowering, 0), hy_input(lowering, 0));
    hy_emit_output_binary(lowering, ANEURALNETWORKS_MINIMUM, positive,
                          hy_number_operand(lowering, 1.0f));
}

/* The reciprocal root of a stored difference has 20 bits behind the point. 0 has the largest
 * result, numbers below 0 have none and are taken for 0. */
static int64_t reciprocal_root(const void *context, int32_t a, int32_t b)
{
    const struct scaling *scaling = context;
    const int32_t value = a - scaling->in_zero_point;

    (void)b;
    if (value <= 0)
        return INT32_MAX;
    return (int64_t)hy_multiply((int32_t)lround(0x1p20 / sqrt(value)), scaling->multiplier) +
           scaling->out_zero_point;
}

void hy_lower_rsqrt(struct hy_lowering *lowering)
{
    if (!hy_is_byte(hy_input(lowering, 0))) {
        hy_push_input(lowering, 0);
        hy_emit(lowering, ANEURALNETWORKS_RSQRT);
        return;
    }
    struct scaling scaling = scaling_of(lowering);
    scaling.multiplier =
        hy_multiplier_of(0x1p-20 / (sqrt((double)scaling.in_scale) * (double)scaling.out_scale));
    hy_emit_byte_table(lowering, reciprocal_root, &scaling);
}

/* ---- On real numbers ------------------------------------------------------------------------- */

static int64_t transformed(const void *context, int32_t a, int32_t b)
{
    const struct scaling *scaling = context;
    const float x = scaling->in_scale * (float)(a - scaling->in_zero_point);
    const float y = scaling->real(x);
    const float steps = roundf(y * (1.0f / scaling->out_scale));

    (void)b;
    if (isnan(steps))
        return scaling->out_zero_point;
    return scaling->out_zero_point + (int32_t)fmaxf(fminf(steps, 1024.0f), -1024.0f);
}

void hy_lower_byte_function(struct hy_lowering *lowering, float (*function)(float x))
{
    struct scaling scaling = scaling_of(lowering);
    scaling.real = function;
    hy_emit_byte_table(lowering, transformed, &scaling);
}

static float logistic(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

static float (*function_of(int32_t type))(float)
{
    switch (type) {
    case ANEURALNETWORKS_EXP:
        return expf;
    case ANEURALNETWORKS_LOG:
        return logf;
    case ANEURALNETWORKS_LOGISTIC:
        return logistic;
    default:
        return tanhf;
    }
}

/* The quantisation that NNAPI's LOGISTIC and TANH have. */
static bool is_native(const struct hy_graph_tensor *output, int32_t type)
{
    const int32_t least = output->element == HY_ELEMENT_INT8 ? -128 : 0;
    const float scale = hy_scale_of(output);
    const int32_t zero_point = hy_zero_point_of(output);

    if (type == ANEURALNETWORKS_LOGISTIC)
        return scale == 1.0f / 256 && zero_point == least;
    return type == ANEURALNETWORKS_TANH && scale == 1.0f / 128 && zero_point == least + 128;
}

void hy_lower_real_function(struct hy_lowering *lowering, int32_t type)
{
    if (hy_is_byte(hy_input(lowering, 0)) && !is_native(hy_output(lowering, 0), type)) {
        hy_lower_byte_function(lowering, function_of(type));
        return;
    }
    hy_push_input(lowering, 0);
    hy_emit(lowering, type);
}
