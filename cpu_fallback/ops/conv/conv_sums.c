#include "cpu_fallback/ops/conv/conv_sums.h"

#include "cpu_fallback/kernels/types.h"
#include "cpu_fallback/ops/conv/conv_step.h"
#include "cpu_fallback/program/op.h"

/* The position of the weights of an output channel, in elements. */
struct channel_weights {
    size_t count, step, channel_step;
};

static struct channel_weights weights_of(const struct hy_call *call, const struct hy_conv_params *p)
{
    const size_t taps = (size_t)p->filter_h * p->filter_w;

    if (hy_conv_is_depthwise(call->operation))
        return (struct channel_weights){taps, p->out_c, 1};
    const size_t depth = taps * (p->in_c / p->groups);
    return (struct channel_weights){depth, 1, depth};
}

static bool is_signed(const struct hy_value *value)
{
    return hy_cpu_element(value->type) != HY_ELEMENT_U8;
}

/* The largest magnitude of the channel's sum, for inputs from `low` to `high`. */
static int64_t largest_of_channel(const struct hy_value *filter, int32_t zero_point,
                                  const struct channel_weights *weights, size_t channel,
                                  int64_t low, int64_t high)
{
    const size_t first = channel * weights->channel_step;
    const bool signed_weights = is_signed(filter);
    int64_t above = 0, below = 0;

    for (size_t i = 0; i < weights->count; i++) {
        const size_t at = first + i * weights->step;
        const int32_t weight = (signed_weights ? ((const int8_t *)filter->data)[at]
                                               : ((const uint8_t *)filter->data)[at]) -
                               zero_point;
        above += weight > 0 ? weight : 0;
        below -= weight > 0 ? 0 : weight;
    }
    const int64_t most = above * high - below * low, least = above * low - below * high;
    return most > -least ? most : -least;
}

int64_t hy_conv_largest_products(const struct hy_call *call, const struct hy_conv_params *p)
{
    const struct hy_value *filter = hy_call_input(call, 1);
    const struct channel_weights weights = weights_of(call, p);
    const int64_t low =
        (is_signed(hy_call_input(call, 0)) ? INT8_MIN : 0) - (int64_t)p->in_zero_point;
    const int64_t high = low + UINT8_MAX;
    const int64_t any = (int64_t)weights.count * UINT8_MAX * UINT8_MAX;
    int64_t largest = 0;

    /* Skips the weights if no filter of this size can exceed 32 bits. */
    if (!filter->data || any <= INT32_MAX / 2)
        return any;
    for (size_t c = 0; c < p->out_c; c++) {
        const int64_t sum =
            largest_of_channel(filter, p->filter_zero_point, &weights, c, low, high);
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

bool hy_conv_sums_fit(int64_t products, const int32_t *bias, uint32_t count)
{
    const int64_t most = INT32_MAX - products;

    for (uint32_t i = 0; i < count && most >= 0; i++) {
        if (bias[i] > most || bias[i] < -most)
            return false;
    }
    return most >= 0;
}
