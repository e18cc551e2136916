#include "conv_case.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/random.h"
#include "guarded.h"
#include "tensor.h"

enum { IN_SLOT, FILTER_SLOT, BIAS_SLOT };

static uint32_t size_between(struct hy_random *r, int32_t low, int32_t high)
{
    return (uint32_t)hy_random_between(r, low, high);
}

/* Output positions along one axis, 0 where the filter does not fit. */
static uint32_t positions(uint32_t in, uint32_t pads, uint32_t filter, uint32_t dilation,
                          uint32_t stride)
{
    uint32_t reach = (filter - 1) * dilation + 1;
    return in + pads < reach ? 0 : (in + pads - reach) / stride + 1;
}

static void choose_window(struct hy_random *r, struct hy_conv_params *p)
{
    static const uint32_t sizes[] = {1, 1, 2, 3, 3, 3, 5};
    p->filter_h = sizes[hy_random_between(r, 0, 6)];
    p->filter_w = sizes[hy_random_between(r, 0, 6)];
    p->stride_h = size_between(r, 1, 2);
    p->stride_w = size_between(r, 1, 3);
    p->dilation_h = hy_random_one_in(r, 4) ? 2 : 1;
    p->dilation_w = hy_random_one_in(r, 4) ? 3 : 1;
    p->pad_top = size_between(r, 0, (int32_t)((p->filter_h - 1) * p->dilation_h));
    p->pad_left = size_between(r, 0, (int32_t)((p->filter_w - 1) * p->dilation_w));
}

/* As image networks have it: three columns, few channels that fill a vector together, or many. */
static void choose_usual_depthwise(struct hy_random *r, struct hy_conv_params *p)
{
    static const uint32_t channels[] = {2, 4, 8, 16, 24, 32, 64, 70, 96, 130};

    p->in_c = p->out_c = channels[hy_random_between(r, 0, 9)];
    p->filter_w = 3;
    p->filter_h = size_between(r, 1, 4);
    p->stride_w = size_between(r, 1, 2);
    p->dilation_w = 1;
    p->pad_left = size_between(r, 0, 2);
    p->pad_top = size_between(r, 0, (int32_t)((p->filter_h - 1) * p->dilation_h));
}

/* Few outputs, where tiles are narrow, from images that are wider than a tile. */
static void choose_wide_image(struct hy_random *r, struct hy_conv_params *p)
{
    p->in_w = size_between(r, 12, 40);
    p->in_c = size_between(r, 1, 5);
    p->out_c = size_between(r, 1, 40);
    p->dilation_w = 1;
}

static void choose_shape(struct hy_random *r, struct hy_conv_params *p, int depthwise)
{
    int wide = hy_random_one_in(r, 6);

    p->batch = size_between(r, hy_random_one_in(r, 10) ? 0 : 1, 2);
    p->in_h = size_between(r, 1, 9);
    p->in_w = size_between(r, 1, 14);
    p->in_c = hy_random_one_in(r, 4) ? 1 : size_between(r, 1, wide ? 75 : 20);
    p->out_c = size_between(r, 1, wide ? 150 : 36);
    if (depthwise)
        p->out_c = p->in_c * (hy_random_one_in(r, 3) ? size_between(r, 1, 4) : 1);
    if (depthwise && p->out_c > CONV_CASE_CHANNELS)
        p->out_c = p->in_c;
    p->groups = !depthwise && hy_random_one_in(r, 6) ? size_between(r, 2, 3) : 1;
    if (p->groups > 1) {
        p->in_c = p->groups * size_between(r, 1, 5);
        p->out_c = p->groups * size_between(r, 1, 5);
    }
    choose_window(r, p);
    if (depthwise && hy_random_one_in(r, 3))
        choose_usual_depthwise(r, p);
    else if (!depthwise && p->groups == 1 && hy_random_one_in(r, 4))
        choose_wide_image(r, p);
    p->out_h = positions(p->in_h, 2 * p->pad_top, p->filter_h, p->dilation_h, p->stride_h);
    p->out_w = positions(p->in_w, p->pad_left, p->filter_w, p->dilation_w, p->stride_w);
    if (!depthwise && hy_random_one_in(r, 5))
        hy_conv_params_set_fully_connected(p, size_between(r, 0, 10), p->in_c * 7, p->out_c);
}

/* A filter of 3x3 that does not leave pixels out; images whose tiles are few or many, whole
 * or not, and more padding than the filter needs. */
static void choose_three(struct hy_random *r, struct hy_conv_params *p)
{
    *p = (struct hy_conv_params){.batch = size_between(r, hy_random_one_in(r, 10) ? 0 : 1, 3),
                                 .in_h = size_between(r, 1, 12),
                                 .in_w = size_between(r, 1, 18),
                                 .in_c = size_between(r, 1, hy_random_one_in(r, 4) ? 75 : 20),
                                 .out_c = size_between(r, 1, hy_random_one_in(r, 4) ? 100 : 36),
                                 .filter_h = 3,
                                 .filter_w = 3,
                                 .stride_h = 1,
                                 .stride_w = 1,
                                 .dilation_h = 1,
                                 .dilation_w = 1,
                                 .pad_top = size_between(r, 0, 3),
                                 .pad_left = size_between(r, 0, 3),
                                 .groups = 1,
                                 .activation = p->activation};
    p->out_h = positions(p->in_h, p->pad_top + size_between(r, 0, 2), 3, 1, 1);
    p->out_w = positions(p->in_w, p->pad_left + size_between(r, 0, 2), 3, 1, 1);
}

/* Depthwise, 3x3, with channels in whole vectors of bytes and beyond; weights that mostly have no
 * zero point. */
static void choose_depthwise_three(struct hy_random *r, struct hy_conv_params *p)
{
    static const uint32_t channels[] = {32, 32, 64, 65, 96, 127, 128, 150};
    const uint32_t c = channels[hy_random_between(r, 0, 7)];

    *p = (struct hy_conv_params){.batch = size_between(r, hy_random_one_in(r, 10) ? 0 : 1, 2),
                                 .in_h = size_between(r, 1, 9),
                                 .in_w = size_between(r, 1, 14),
                                 .in_c = c,
                                 .out_c = c,
                                 .filter_h = 3,
                                 .filter_w = 3,
                                 .stride_h = size_between(r, 1, 3),
                                 .stride_w = size_between(r, 1, 2),
                                 .dilation_h = 1,
                                 .dilation_w = 1,
                                 .pad_top = size_between(r, 0, 3),
                                 .pad_left = size_between(r, 0, 3),
                                 .groups = 1,
                                 .activation = p->activation};
    p->out_h = positions(p->in_h, p->pad_top + size_between(r, 0, 3), 3, 1, p->stride_h);
    p->out_w = positions(p->in_w, p->pad_left + size_between(r, 0, 3), 3, 1, p->stride_w);
}

static void choose_layer(struct hy_random *r, struct hy_conv_params *p)
{
    static const uint32_t depths[] = {3, 8, 16, 20, 32, 48, 60, 64, 64, 66, 96, 128, 130, 200};
    static const uint32_t channels[] = {1, 8, 15, 16, 17, 32, 33, 48, 49, 64, 65, 96, 127, 160};
    static const uint32_t sizes[] = {1, 1, 2, 3, 3, 5};
    const bool is_padded = hy_random_one_in(r, 2);

    *p = (struct hy_conv_params){.batch = size_between(r, 1, 2),
                                 .in_h = size_between(r, 1, 20),
                                 .in_w = size_between(r, 1, hy_random_one_in(r, 3) ? 70 : 20),
                                 .in_c = depths[hy_random_between(r, 0, 13)],
                                 .out_c = channels[hy_random_between(r, 0, 13)],
                                 .filter_h = sizes[hy_random_between(r, 0, 5)],
                                 .filter_w = sizes[hy_random_between(r, 0, 5)],
                                 .stride_h = hy_random_one_in(r, 3) ? size_between(r, 2, 3) : 1,
                                 .stride_w = hy_random_one_in(r, 3) ? size_between(r, 2, 3) : 1,
                                 .dilation_h = hy_random_one_in(r, 3) ? size_between(r, 2, 3) : 1,
                                 .dilation_w = hy_random_one_in(r, 3) ? size_between(r, 2, 3) : 1,
                                 .groups = 1,
                                 .activation = p->activation};
    const uint32_t rows = is_padded ? (p->filter_h - 1) * p->dilation_h : 0;
    const uint32_t columns = is_padded ? (p->filter_w - 1) * p->dilation_w : 0;
    p->pad_top = rows / 2;
    p->pad_left = columns / 2;
    p->out_h = positions(p->in_h, rows, p->filter_h, p->dilation_h, p->stride_h);
    p->out_w = positions(p->in_w, columns, p->filter_w, p->dilation_w, p->stride_w);
}

static void choose_long_lines(struct hy_random *r, struct hy_conv_params *p)
{
    *p = (struct hy_conv_params){.batch = 1,
                                 .in_h = 2,
                                 .in_w = size_between(r, 700, 750),
                                 .in_c = size_between(r, 128, 140),
                                 .out_c = size_between(r, 1, 20),
                                 .filter_h = 3,
                                 .filter_w = size_between(r, 1, 3),
                                 .stride_h = 1,
                                 .stride_w = 1,
                                 .dilation_h = size_between(r, 1, 2),
                                 .dilation_w = 1,
                                 .pad_top = size_between(r, 1, 2),
                                 .pad_left = size_between(r, 0, 1),
                                 .groups = 1,
                                 .activation = p->activation};
    p->out_h = positions(p->in_h, p->pad_top + 3, 3, p->dilation_h, 1);
    p->out_w = positions(p->in_w, p->pad_left, p->filter_w, 1, 1);
}

static void choose_grouped(struct hy_random *r, struct hy_conv_params *p)
{
    *p = (struct hy_conv_params){.batch = size_between(r, hy_random_one_in(r, 10) ? 0 : 1, 2),
                                 .in_h = size_between(r, 1, 24),
                                 .in_w = size_between(r, 1, 30),
                                 .groups = size_between(r, 2, 4),
                                 .activation = p->activation};
    p->in_c = p->groups * size_between(r, 1, 40);
    p->out_c = p->groups * size_between(r, 1, 40);
    choose_window(r, p);
    p->out_h = positions(p->in_h, 2 * p->pad_top, p->filter_h, p->dilation_h, p->stride_h);
    p->out_w = positions(p->in_w, p->pad_left, p->filter_w, p->dilation_w, p->stride_w);
}

/* Images that inputs reach in part only, too. */
static uint32_t transposed_size(struct hy_random *r, uint32_t in, uint32_t stride, uint32_t filter,
                                uint32_t pad)
{
    const uint32_t reached = in == 0 ? 0 : (in - 1) * stride + filter;
    const uint32_t size = reached > pad ? reached - pad : 0;

    return hy_random_one_in(r, 3) ? size_between(r, 0, (int32_t)size + 3) : size;
}

static void choose_transposed(struct hy_random *r, struct hy_conv_params *p)
{
    const int wide = hy_random_one_in(r, 4);

    *p = (struct hy_conv_params){.batch = size_between(r, hy_random_one_in(r, 10) ? 0 : 1, 2),
                                 .in_h = size_between(r, hy_random_one_in(r, 20) ? 0 : 1, 6),
                                 .in_w = size_between(r, hy_random_one_in(r, 20) ? 0 : 1, 20),
                                 .in_c = size_between(r, 1, wide ? 40 : 9),
                                 .out_c = size_between(r, 1, wide ? 70 : 18),
                                 .filter_h = size_between(r, 1, 5),
                                 .filter_w = size_between(r, 1, 5),
                                 .dilation_h = 1,
                                 .dilation_w = 1,
                                 .groups = 1,
                                 .activation = p->activation};
    p->stride_h = size_between(r, 1, (int32_t)p->filter_h);
    p->stride_w = size_between(r, 1, (int32_t)p->filter_w);
    p->pad_top = size_between(r, 0, (int32_t)p->filter_h - 1);
    p->pad_left = size_between(r, 0, (int32_t)p->filter_w - 1);
    p->out_h = transposed_size(r, p->in_h, p->stride_h, p->filter_h, p->pad_top);
    p->out_w = transposed_size(r, p->in_w, p->stride_w, p->filter_w, p->pad_left);
}

/* Depthwise with several outputs of each input channel, of images that are taller than what is
 * worked on at once, at times so wide that few lines are. */
static void choose_multiplied(struct hy_random *r, struct hy_conv_params *p)
{
    const bool is_wide = hy_random_one_in(r, 12);
    const uint32_t times = size_between(r, 2, 9);

    *p = (struct hy_conv_params){.batch = size_between(r, hy_random_one_in(r, 10) ? 0 : 1, 2),
                                 .in_h = size_between(r, 1, is_wide ? 8 : 50),
                                 .in_w = is_wide ? size_between(r, 60, 70) : size_between(r, 1, 9),
                                 .in_c = size_between(r, 2, CONV_CASE_CHANNELS / (int32_t)times),
                                 .filter_h = size_between(r, 1, 4),
                                 .filter_w = size_between(r, 1, 5),
                                 .stride_h = size_between(r, 1, 3),
                                 .stride_w = size_between(r, 1, 3),
                                 .dilation_h = size_between(r, 1, 2),
                                 .dilation_w = size_between(r, 1, 2),
                                 .pad_top = size_between(r, 0, 5),
                                 .pad_left = size_between(r, 0, 3),
                                 .groups = 1,
                                 .activation = p->activation};
    p->out_c = p->in_c * times;
    p->out_h = positions(p->in_h, p->pad_top + size_between(r, 0, 4), p->filter_h, p->dilation_h,
                         p->stride_h);
    p->out_w = positions(p->in_w, p->pad_left + size_between(r, 0, 3), p->filter_w, p->dilation_w,
                         p->stride_w);
}

/* Depthwise with three columns that lie apart. */
static void choose_dilated_three(struct hy_random *r, struct hy_conv_params *p)
{
    *p = (struct hy_conv_params){.batch = size_between(r, hy_random_one_in(r, 10) ? 0 : 1, 2),
                                 .in_h = size_between(r, 1, 15),
                                 .in_w = size_between(r, 1, 40),
                                 .in_c = size_between(r, 2, 80),
                                 .filter_h = size_between(r, 1, 3),
                                 .filter_w = 3,
                                 .stride_h = size_between(r, 1, 2),
                                 .stride_w = 1,
                                 .dilation_h = size_between(r, 1, 6),
                                 .dilation_w = size_between(r, 2, 6),
                                 .pad_top = size_between(r, 0, 8),
                                 .pad_left = size_between(r, 0, 14),
                                 .groups = 1,
                                 .activation = p->activation};
    p->out_c = p->in_c;
    p->out_h = positions(p->in_h, p->pad_top + size_between(r, 0, 8), p->filter_h, p->dilation_h,
                         p->stride_h);
    p->out_w = positions(p->in_w, p->pad_left + size_between(r, 0, 14), 3, p->dilation_w, 1);
}

/* Of int16 data, which has no zero points. */
static void choose_wide(struct hy_random *r, struct conv_case *c)
{
    struct hy_conv_params *p = &c->params;

    p->multipliers = c->multipliers;
    for (uint32_t o = 0; o < p->out_c; o++)
        c->multipliers[o] = (struct hy_multiplier){
            hy_random_one_in(r, 3) ? 1 << 30 : hy_random_between(r, 1 << 30, INT32_MAX),
            hy_random_one_in(r, 5) ? hy_random_between(r, -31, 30) : hy_random_between(r, -13, -5)};
    p->activation.q_min = hy_random_one_in(r, 3) ? 0 : INT16_MIN;
    p->activation.q_max = hy_random_one_in(r, 3) ? hy_random_between(r, 0, INT16_MAX) : INT16_MAX;
}

static void choose_quantisation(struct hy_random *r, struct conv_case *c)
{
    struct hy_conv_params *p = &c->params;

    if (c->element == HY_ELEMENT_S16) {
        choose_wide(r, c);
        return;
    }
    int low = tensor_min(c->element), filter_signed = c->element != HY_ELEMENT_U8;

    p->in_zero_point = hy_random_between(r, low, low + 255);
    p->out_zero_point = hy_random_between(r, low, low + 255);
    p->filter_zero_point = filter_signed ? 0 : hy_random_between(r, 0, 255);
    if (c->element == HY_ELEMENT_S8 && hy_random_one_in(r, 3))
        p->filter_zero_point = hy_random_between(r, -128, 127);
    p->multipliers = c->multipliers;
    for (uint32_t o = 0; o < p->out_c; o++)
        /* powers of two, too: they give exact halves */
        c->multipliers[o] = (struct hy_multiplier){
            hy_random_one_in(r, 3) ? 1 << 30 : hy_random_between(r, 1 << 30, INT32_MAX),
            hy_random_between(r, -16, hy_random_one_in(r, 9) * 4)};
    p->has_one_multiplier = c->seed % 3 == 0;
    for (uint32_t o = 1; p->has_one_multiplier && o < p->out_c; o++)
        c->multipliers[o] = c->multipliers[0];
    p->activation.q_min = hy_random_one_in(r, 3) ? p->out_zero_point : low;
    p->activation.q_max =
        hy_random_one_in(r, 3) ? hy_random_between(r, p->activation.q_min, low + 255) : low + 255;
}

/* Biases at the far ends make shifts saturate, and sums fill their 32 bits. */
static void make_extreme(struct hy_random *r, const struct conv_case *c, int32_t *bias)
{
    const struct hy_conv_params *p = &c->params;
    const uint32_t depth = c->depthwise ? 1 : p->in_c / p->groups;
    const int32_t most = INT32_MAX - (int32_t)(p->filter_h * p->filter_w * depth * 255 * 255);

    for (uint32_t o = 0; o < p->out_c; o++)
        bias[o] = hy_random_one_in(r, 2) ? most - hy_random_between(r, 0, 9999)
                                         : hy_random_between(r, -most, most);
}

/* Most biases as sums are, others anything. */
static void make_wide(struct hy_random *r, const struct conv_case *c, int64_t *bias)
{
    for (uint32_t o = 0; o < c->params.out_c; o++)
        bias[o] >>= hy_random_one_in(r, 5) ? hy_random_between(r, 0, 30) : 40;
}

static enum hy_element bias_element(enum hy_element element)
{
    return element == HY_ELEMENT_F32 || element == HY_ELEMENT_F16 ? element
           : element == HY_ELEMENT_S16                            ? HY_ELEMENT_I64
                                                                  : HY_ELEMENT_I32;
}

static enum hy_element filter_element(enum hy_element element)
{
    return element == HY_ELEMENT_S16 ? HY_ELEMENT_S8 : element;
}

static void choose_activation(struct hy_random *r, struct hy_conv_params *p)
{
    p->activation.min = hy_random_one_in(r, 2) ? -0.5f : -1e30f;
    p->activation.max = hy_random_one_in(r, 3) ? 0.75f : 1e30f;
}

static void fill_tensors(struct hy_random *r, struct conv_case *c)
{
    const struct hy_conv_params *p = &c->params;
    const bool quantised = c->element != HY_ELEMENT_F32 && c->element != HY_ELEMENT_F16;

    c->in_count = (size_t)p->batch * p->in_h * p->in_w * p->in_c;
    c->filter_count = (size_t)p->filter_h * p->filter_w * p->out_c *
                      (c->depthwise ? 1 : (size_t)p->in_c / p->groups);
    c->in = tensor_random(r, IN_SLOT, c->element, c->in_count);
    c->filter = tensor_random(r, FILTER_SLOT, filter_element(c->element), c->filter_count);
    c->bias = tensor_random(r, BIAS_SLOT, bias_element(c->element), p->out_c);
    if (c->element == HY_ELEMENT_S16)
        make_wide(r, c, c->bias);
    else if (quantised && hy_random_one_in(r, 4))
        make_extreme(r, c, c->bias);
    c->out_count = (size_t)p->batch * p->out_h * p->out_w * p->out_c;
    c->out_element_size = tensor_element_size(c->element);
}

void conv_case_init(struct conv_case *c, uint64_t seed, enum hy_element element, int depthwise)
{
    struct hy_random r = {seed * 64 + element * 2 + (unsigned)depthwise};

    *c = (struct conv_case){.seed = seed, .element = element, .depthwise = depthwise};
    choose_activation(&r, &c->params);
    choose_shape(&r, &c->params, depthwise);
    choose_quantisation(&r, c);
    fill_tensors(&r, c);
}

void conv_case_init_rows(struct conv_case *c, uint64_t seed, enum hy_element element, uint32_t rows,
                         uint32_t inputs, uint32_t units)
{
    struct hy_random r = {seed * 64 + element * 2};

    *c = (struct conv_case){.seed = seed, .element = element};
    choose_activation(&r, &c->params);
    hy_conv_params_set_fully_connected(&c->params, rows, inputs, units);
    choose_quantisation(&r, c);
    fill_tensors(&r, c);
}

void conv_case_init_three(struct conv_case *c, uint64_t seed, enum hy_element element)
{
    struct hy_random r = {seed};

    *c = (struct conv_case){.seed = seed, .element = element};
    choose_activation(&r, &c->params);
    choose_three(&r, &c->params);
    if (element != HY_ELEMENT_F32) {
        c->params.in_c = 16 * size_between(&r, 1, 6);
        choose_quantisation(&r, c);
    }
    fill_tensors(&r, c);
}

void conv_case_init_depthwise_three(struct conv_case *c, uint64_t seed, enum hy_element element)
{
    struct hy_random r = {seed * 64 + element};

    *c = (struct conv_case){.seed = seed, .element = element, .depthwise = 1};
    choose_activation(&r, &c->params);
    choose_depthwise_three(&r, &c->params);
    choose_quantisation(&r, c);
    if (!hy_random_one_in(&r, 4))
        c->params.filter_zero_point = element == HY_ELEMENT_U8 ? 128 : 0;
    if (hy_random_one_in(&r, 2))
        c->params.out_zero_point = tensor_min(element);
    fill_tensors(&r, c);
}

static void init_with(struct conv_case *c, uint64_t seed, enum hy_element element,
                      void (*choose)(struct hy_random *r, struct hy_conv_params *p))
{
    struct hy_random r = {seed * 64 + element};

    *c = (struct conv_case){.seed = seed, .element = element};
    choose_activation(&r, &c->params);
    choose(&r, &c->params);
    choose_quantisation(&r, c);
    fill_tensors(&r, c);
}

void conv_case_init_layer(struct conv_case *c, uint64_t seed, enum hy_element element)
{
    init_with(c, seed, element, choose_layer);
}

void conv_case_init_long_lines(struct conv_case *c, uint64_t seed, enum hy_element element)
{
    init_with(c, seed, element, choose_long_lines);
}

void conv_case_init_grouped(struct conv_case *c, uint64_t seed, enum hy_element element)
{
    init_with(c, seed, element, choose_grouped);
}

void conv_case_init_transposed(struct conv_case *c, uint64_t seed, enum hy_element element)
{
    init_with(c, seed, element, choose_transposed);
}

static void init_depthwise(struct conv_case *c, uint64_t seed, enum hy_element element,
                           void (*choose)(struct hy_random *r, struct hy_conv_params *p))
{
    struct hy_random r = {seed * 64 + element};

    *c = (struct conv_case){.seed = seed, .element = element, .depthwise = 1};
    choose_activation(&r, &c->params);
    choose(&r, &c->params);
    choose_quantisation(&r, c);
    fill_tensors(&r, c);
}

void conv_case_init_multiplied(struct conv_case *c, uint64_t seed, enum hy_element element)
{
    init_depthwise(c, seed, element, choose_multiplied);
}

void conv_case_init_dilated_three(struct conv_case *c, uint64_t seed, enum hy_element element)
{
    init_depthwise(c, seed, element, choose_dilated_three);
}

/* Weights and scratch memory as a caller provides them: aligned, here also to end at a guard. */
static void *alloc_aligned(int slot, size_t bytes)
{
    size_t whole = (bytes + HY_KERNEL_ALIGNMENT - 1) / HY_KERNEL_ALIGNMENT * HY_KERNEL_ALIGNMENT;
    return guarded_alloc(slot, whole, 0x5a);
}

void *conv_case_run_in_parts(const struct conv_case *c, const struct hy_conv_kernel *kernel,
                             int first_slot, size_t most)
{
    const struct hy_conv_params *p = &c->params;
    const void *weights = c->filter, *bias = c->bias;
    void *scratch = NULL,
         *out = guarded_alloc(first_slot, c->out_count * c->out_element_size, 0x77);
    size_t units = kernel->units(p);

    if (kernel->pack) {
        void *packed = alloc_aligned(first_slot + 1, kernel->packed_bytes(p));
        kernel->pack(p, c->filter, c->bias, packed);
        weights = packed;
        bias = kernel->reads_filter ? c->filter : NULL;
    }
    if (kernel->scratch_bytes)
        scratch = alloc_aligned(first_slot + 2, kernel->scratch_bytes(p));
    do {
        size_t part = units < most ? units : most;
        kernel->run(p, c->in, weights, bias, out, scratch, units - part, units);
        units -= part;
    } while (units > 0);
    return out;
}

void *conv_case_run(const struct conv_case *c, const struct hy_conv_kernel *kernel, int first_slot)
{
    return conv_case_run_in_parts(c, kernel, first_slot, kernel->units(&c->params) / 2 + 1);
}

void conv_case_describe(const struct conv_case *c, char *text, size_t size)
{
    const struct hy_conv_params *p = &c->params;
    snprintf(text, size,
             "%s seed %llu element %d: in %ux%ux%ux%u filter %ux%u out %ux%ux%u stride %ux%u "
             "dilation %ux%u pad %u,%u groups %u zero points %d %d %d",
             c->depthwise ? "depthwise" : "conv", (unsigned long long)c->seed, (int)c->element,
             p->batch, p->in_h, p->in_w, p->in_c, p->filter_h, p->filter_w, p->out_h, p->out_w,
             p->out_c, p->stride_h, p->stride_w, p->dilation_h, p->dilation_w, p->pad_top,
             p->pad_left, p->groups, p->in_zero_point, p->filter_zero_point, p->out_zero_point);
}
