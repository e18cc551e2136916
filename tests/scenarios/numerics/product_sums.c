#include "tests/scenarios/numerics/product_sums.h"

#include <android/NeuralNetworksTypes.h>
#include <assert.h>
#include <math.h>

#include "common/operations/operation.h"

/* ---- Shapes ---------------------------------------------------------------------------------- */

static uint32_t between(struct hy_random *r, int32_t low, int32_t high)
{
    return (uint32_t)hy_random_between(r, low, high);
}

static bool is_matrix(const struct product_sums *s)
{
    return s->operation == HY_OP_FULLY_CONNECTED || s->operation == HY_OP_BATCH_MATMUL;
}

static bool is_depthwise(const struct product_sums *s)
{
    return s->operation == HY_OP_DEPTHWISE_CONV_2D;
}

static bool is_transposed(const struct product_sums *s)
{
    return s->operation == HY_OP_TRANSPOSE_CONV_2D;
}

static void choose_channels(struct product_sums *s, struct hy_random *r)
{
    s->groups = s->operation == HY_OP_GROUPED_CONV_2D ? between(r, 1, 4) : 1;
    s->in_c = between(r, 1, hy_random_one_in(r, 4) ? 32 : 8) * s->groups;
    s->out_c = is_depthwise(s) ? s->in_c * between(r, 1, 2) : between(r, 1, 12) * s->groups;
}

static uint32_t out_size(const struct product_sums *s, uint32_t in, uint32_t filter)
{
    if (is_transposed(s))
        return (in - 1) * s->stride + filter - 2 * s->pad;
    return (in + 2 * s->pad - (filter - 1) * s->dilation - 1) / s->stride + 1;
}

static void choose_window(struct product_sums *s, struct hy_random *r)
{
    const bool is_dilated =
        (s->operation == HY_OP_CONV_2D || is_depthwise(s)) && hy_random_one_in(r, 4);

    s->filter_h = between(r, 1, 4);
    s->filter_w = between(r, 1, 4);
    s->stride = between(r, 1, 2);
    s->dilation = is_dilated ? 2 : 1;
    s->pad = s->filter_h > 1 && s->filter_w > 1 ? between(r, 0, 1) : 0;
    s->in_h = between(r, 8, 24);
    s->in_w = between(r, 8, 24);
}

static void choose_matrix(struct product_sums *s, struct hy_random *r)
{
    s->filter_h = s->filter_w = s->stride = s->dilation = 1;
    s->pad = 0;
    s->in_h = 1;
    s->in_w = hy_random_one_in(r, 4) ? 1 : between(r, 1, 300);
    s->in_c = between(r, 1, hy_random_one_in(r, 4) ? 200 : 40);
    s->out_c = between(r, 1, 100);
}

/* Of bytes whole vectors of channels, and more than a few tiles. */
static void choose_minimal(struct product_sums *s, struct hy_random *r)
{
    s->filter_h = s->filter_w = 3;
    s->stride = s->dilation = 1;
    s->pad = between(r, 0, 1);
    s->in_h = between(r, 10, 30);
    s->in_w = between(r, 10, 30);
    s->in_c = 16 * between(r, 1, 4);
    s->out_c = 32 + 8 * between(r, 0, 3);
}

void product_sums_choose(struct product_sums *s, struct hy_random *r, int32_t operation,
                         bool is_minimal)
{
    s->operation = operation;
    s->is_constant = is_minimal || hy_random_one_in(r, 2);
    choose_channels(s, r);
    if (is_minimal)
        choose_minimal(s, r);
    else if (is_matrix(s))
        choose_matrix(s, r);
    else
        choose_window(s, r);
    s->out_h = out_size(s, s->in_h, s->filter_h);
    s->out_w = out_size(s, s->in_w, s->filter_w);
    s->in_count = s->in_h * s->in_w * s->in_c;
    s->filter_count =
        s->filter_h * s->filter_w * s->out_c * (is_depthwise(s) ? 1 : s->in_c / s->groups);
    s->out_count = s->out_h * s->out_w * s->out_c;
    assert(s->in_count <= SUMS_MOST_IN && s->filter_count <= SUMS_MOST_FILTER &&
           s->out_count <= SUMS_MOST_OUT);
}

/* ---- Models ---------------------------------------------------------------------------------- */

static void set_dims(struct hy_builder_type *type, uint32_t rank, uint32_t a, uint32_t b,
                     uint32_t c, uint32_t d)
{
    const uint32_t dims[] = {a, b, c, d};

    type->rank = rank;
    memcpy(type->dims, dims, sizeof dims);
}

void product_sums_set_shapes(const struct product_sums *s, struct product_types *types)
{
    set_dims(&types->bias, 1, s->out_c, 0, 0, 0);
    if (is_matrix(s)) {
        const bool is_turned = s->operation == HY_OP_BATCH_MATMUL;
        set_dims(&types->in, 2, s->in_w, s->in_c, 0, 0);
        set_dims(&types->filter, 2, is_turned ? s->in_c : s->out_c, is_turned ? s->out_c : s->in_c,
                 0, 0);
        set_dims(&types->out, 2, s->out_w, s->out_c, 0, 0);
        return;
    }
    set_dims(&types->in, 4, 1, s->in_h, s->in_w, s->in_c);
    set_dims(&types->out, 4, 1, s->out_h, s->out_w, s->out_c);
    if (is_depthwise(s))
        set_dims(&types->filter, 4, 1, s->filter_h, s->filter_w, s->out_c);
    else
        set_dims(&types->filter, 4, s->out_c, s->filter_h, s->filter_w, s->in_c / s->groups);
}

static void add_ints(struct hy_op_case *test, uint32_t value, int count)
{
    for (int i = 0; i < count; i++)
        hy_op_case_int(test, (int32_t)value);
}

static void add_parameters(const struct product_sums *s, struct hy_op_case *test)
{
    if (s->operation == HY_OP_BATCH_MATMUL) {
        hy_op_case_bool(test, false);
        hy_op_case_bool(test, false);
        return;
    }
    if (!is_matrix(s)) {
        add_ints(test, s->pad, 4);
        add_ints(test, s->stride, 2);
    }
    if (is_depthwise(s))
        add_ints(test, s->out_c / s->in_c, 1);
    if (s->operation == HY_OP_GROUPED_CONV_2D)
        add_ints(test, s->groups, 1);
    hy_op_case_int(test, ANEURALNETWORKS_FUSED_NONE);
    if (is_matrix(s))
        return;
    hy_op_case_bool(test, false);
    if (s->operation == HY_OP_CONV_2D || is_depthwise(s))
        add_ints(test, s->dilation, 2);
}

void product_sums_build(const struct product_sums *s, const struct product_types *types,
                        const void *in, const void *filter, const void *bias, void *out,
                        size_t out_bytes, struct hy_op_case *test)
{
    hy_op_case_init(test, s->operation);
    hy_op_case_tensor(test, &types->in, in, false);
    hy_op_case_tensor(test, &types->filter, filter, s->is_constant);
    if (types->channel_scales)
        hy_builder_channel_scales(&test->builder, test->inputs[1], is_depthwise(s) ? 3 : 0,
                                  s->out_c, types->channel_scales);
    if (s->operation != HY_OP_BATCH_MATMUL)
        hy_op_case_tensor(test, &types->bias, bias, s->is_constant);
    add_parameters(s, test);
    hy_op_case_output(test, &types->out, out, out_bytes);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* The input line under tap `tap` of output line `out`; negative: none. */
static int32_t line_at(const struct product_sums *s, uint32_t out, uint32_t tap, uint32_t in)
{
    int32_t line = (int32_t)(out * s->stride + tap * s->dilation) - (int32_t)s->pad;

    if (is_transposed(s)) {
        const int32_t position = (int32_t)(out + s->pad) - (int32_t)tap;
        line = position < 0 || position % (int32_t)s->stride ? -1 : position / (int32_t)s->stride;
    }
    return line < (int32_t)in ? line : -1;
}

/* `count` inputs and as many weights, `step` apart. */
static void add_products(struct product_sum *sum, const double *in, const double *filter,
                         uint32_t count, uint32_t step)
{
    for (uint32_t k = 0; k < count; k++) {
        const double product = in[k] * filter[(size_t)k * step];
        sum->sum += product;
        sum->magnitude += fabs(product);
        sum->ordered += (float)product;
    }
    sum->terms += count;
}

/* Of output channel o: its first input channel, how many there are, and the first weight of a tap
 * with the way from there to the next. */
struct channel {
    uint32_t first, count, filter, step;
};

static struct channel channel_at(const struct product_sums *s, uint32_t o, uint32_t tap)
{
    const uint32_t taps = s->filter_h * s->filter_w, depth = s->in_c / s->groups;

    if (is_depthwise(s))
        return (struct channel){o / (s->out_c / s->in_c), 1, tap * s->out_c + o, 1};
    if (s->operation == HY_OP_BATCH_MATMUL)
        return (struct channel){0, s->in_c, o, s->out_c};
    return (struct channel){o / (s->out_c / s->groups) * depth, depth, (o * taps + tap) * depth, 1};
}

/* Calls for each tap of output `index` that lies inside the image. */
typedef void tap_fn(void *context, const double *in, const double *filter, struct channel channel);

static void for_each_tap(const struct product_sums *s, uint32_t index, tap_fn *each, void *context)
{
    const uint32_t o = index % s->out_c, x = index / s->out_c % s->out_w;
    const uint32_t y = index / s->out_c / s->out_w;

    for (uint32_t i = 0; i < s->filter_h; i++)
        for (uint32_t j = 0; j < s->filter_w; j++) {
            const int32_t row = line_at(s, y, i, s->in_h), column = line_at(s, x, j, s->in_w);
            if (row < 0 || column < 0)
                continue;
            const struct channel channel = channel_at(s, o, i * s->filter_w + j);
            const uint32_t pixel = (uint32_t)row * s->in_w + (uint32_t)column;
            each(context, s->in + pixel * s->in_c + channel.first, s->filter + channel.filter,
                 channel);
        }
}

static void add_tap(void *context, const double *in, const double *filter, struct channel channel)
{
    add_products(context, in, filter, channel.count, channel.step);
}

struct product_sum product_sums_at(const struct product_sums *s, uint32_t index)
{
    const double bias = s->operation == HY_OP_BATCH_MATMUL ? 0 : s->bias[index % s->out_c];
    struct product_sum sum = {0};

    for_each_tap(s, index, add_tap, &sum);
    sum.sum += bias;
    sum.magnitude += fabs(bias);
    sum.ordered += (float)bias;
    sum.terms++;
    return sum;
}

enum { MOST_CHANNELS = 256 };

struct reach {
    double largest[MOST_CHANNELS], weights[MOST_CHANNELS];
};

static void note_tap(void *context, const double *in, const double *filter, struct channel channel)
{
    struct reach *reach = context;

    for (uint32_t k = 0; k < channel.count; k++) {
        reach->largest[k] = fmax(reach->largest[k], fabs(in[k]));
        reach->weights[k] += fabs(filter[k]);
    }
}

double product_sums_reach(const struct product_sums *s, uint32_t index)
{
    struct reach reach = {0};
    double sum = 0;

    for_each_tap(s, index, note_tap, &reach);
    for (uint32_t k = 0; k < s->in_c; k++)
        sum += reach.largest[k] * reach.weights[k];
    return sum;
}
