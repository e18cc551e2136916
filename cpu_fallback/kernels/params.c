#include <math.h>

#include "cpu_fallback/kernels/kernels.h"

/* Parameters of single kernel families, prepared at compile time. */

/* Sets multipliers of both sides to units of twice the larger scale. Returns the unit. */
static double set_sides(struct hy_binary_params *params, double a, double b)
{
    const double common = 2 * (a > b ? a : b);

    params->a_multiplier = hy_multiplier_from_double(a / common);
    params->b_multiplier = hy_multiplier_from_double(b / common);
    return common;
}

static void set_sum_scales(struct hy_binary_params *params, enum hy_element element, double a,
                           double b, double out)
{
    const int shift = element == HY_ELEMENT_S16 ? HY_SUM_SHIFT_16 : HY_SUM_SHIFT;
    const double common = set_sides(params, a, b);

    params->out_multiplier = hy_multiplier_from_double(common / ((1 << shift) * out));
}

static void set_difference_scales(struct hy_binary_params *params, double a, double b, double out)
{
    const double common = set_sides(params, a, b);

    params->out_multiplier =
        hy_multiplier_from_double(common * common / ((1 << 2 * HY_DIFFERENCE_SHIFT) * out));
}

void hy_binary_set_scales(struct hy_binary_params *params, enum hy_binary op,
                          enum hy_element element, float a, float b, float out)
{
    params->a_scale = a;
    params->b_scale = b;
    params->quotient_scale = (double)a / ((double)b * (double)out);
    if (op == HY_BINARY_ADD || op == HY_BINARY_SUB)
        set_sum_scales(params, element, (double)a, (double)b, (double)out);
    if (op == HY_BINARY_SQUARED_DIFFERENCE)
        set_difference_scales(params, (double)a, (double)b, (double)out);
    if (op == HY_BINARY_PRELU)
        params->a_multiplier = hy_multiplier_from_double((double)a / (double)out);
    if (op == HY_BINARY_MUL || op == HY_BINARY_PRELU)
        params->out_multiplier = element == HY_ELEMENT_S16
                                     ? hy_multiplier_from_double((double)(a * b / out))
                                     : hy_multiplier_for_product(a, b, out);
}

void hy_conv_params_set_fully_connected(struct hy_conv_params *params, uint32_t rows,
                                        uint32_t inputs, uint32_t units)
{
    params->batch = params->in_h = params->out_h = 1;
    params->in_w = params->out_w = rows;
    params->in_c = inputs;
    params->out_c = units;
    params->filter_h = params->filter_w = 1;
    params->stride_h = params->stride_w = 1;
    params->dilation_h = params->dilation_w = 1;
    params->pad_top = params->pad_left = 0;
    params->groups = 1;
}

void hy_softmax_fill_table(float in_scale, float beta, float table[HY_SOFTMAX_TABLE_SIZE])
{
    float scale = -in_scale * beta;

    for (int difference = 0; difference < HY_SOFTMAX_TABLE_SIZE; difference++)
        table[HY_SOFTMAX_TABLE_SIZE - 1 - difference] = expf(scale * (float)difference);
}
