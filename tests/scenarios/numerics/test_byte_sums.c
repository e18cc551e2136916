#include <android/NeuralNetworksTypes.h>
#include <math.h>

#include "common/operations/operation.h"
#include "tests/scenarios/numerics/product_sums.h"
#include "tests/scenarios/numerics/quantised.h"
#include "tests/scenarios/numerics/requantisation.h"

/*
 * Sums of products of 8-bit numbers: exact, then rounded twice, to the bit. Multipliers are such
 * that outputs fill their range.
 */

#define PER_CHANNEL ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL

enum { MOST_CHANNELS = 256 };

struct byte_sums {
    struct product_sums sums;
    struct product_types types;
    int32_t in_type, filter_type;
    bool is_half_up; /* the second rounding */
    float scales[MOST_CHANNELS];
    struct real_multiplier multipliers[MOST_CHANNELS];
    uint8_t in[SUMS_MOST_IN], filter[SUMS_MOST_FILTER], out[SUMS_MOST_OUT];
    int32_t bias[SUMS_MOST_OUT], want[SUMS_MOST_OUT];
};

static bool is_half_up(int32_t operation)
{
    return operation != HY_OP_DEPTHWISE_CONV_2D && operation != HY_OP_TRANSPOSE_CONV_2D;
}

/* The table of docs/numerics.md. */
static bool is_product_double(const struct byte_sums *b)
{
    return b->filter_type == PER_CHANNEL ||
           (b->in_type == S8 && b->sums.operation != HY_OP_FULLY_CONNECTED &&
            b->sums.operation != HY_OP_BATCH_MATMUL);
}

static void set_multipliers(struct byte_sums *b)
{
    for (uint32_t o = 0; o < b->sums.out_c; o++) {
        const float in = b->types.in.scale, out = b->types.out.scale;
        const float filter = b->filter_type == PER_CHANNEL ? b->scales[o] : b->types.filter.scale;
        const volatile float product = in * filter;
        b->multipliers[o] =
            real_multiplier(is_product_double(b) ? (double)in * (double)filter / (double)out
                                                 : (double)product / (double)out);
    }
}

static void choose_quantisation(struct byte_sums *b, struct hy_random *r)
{
    const double terms = (double)b->sums.filter_count / b->sums.out_c;

    b->types = (struct product_types){.in = any_quantised(r, b->in_type, 1),
                                      .filter = any_quantised(r, b->filter_type, 1),
                                      .out = any_quantised(r, b->in_type, 1),
                                      .bias.type = ANEURALNETWORKS_TENSOR_INT32};
    for (uint32_t o = 0; o < b->sums.out_c; o++)
        b->scales[o] = exp2f(hy_random_real(r, -1, 1));
    if (b->filter_type == PER_CHANNEL) {
        b->types.filter.scale = 0;
        b->types.filter.zero_point = 0;
        b->types.channel_scales = b->scales;
    } else {
        b->types.filter.scale = b->scales[0];
        b->types.bias.scale = b->types.in.scale * b->scales[0];
    }
    b->types.out.scale =
        (float)(b->types.in.scale * sqrt(terms) * exp2(5 + hy_random_real(r, -1, 1)));
    set_multipliers(b);
}

static void fill(struct byte_sums *b, struct hy_random *r)
{
    const int32_t filter_type = b->filter_type == PER_CHANNEL ? S8 : b->filter_type;

    fill_bytes(r, b->in, b->sums.in_count);
    fill_bytes(r, b->filter, b->sums.filter_count);
    for (uint32_t i = 0; i < b->sums.in_count; i++)
        b->sums.in[i] = steps_of(&b->types.in, b->in[i]);
    for (uint32_t i = 0; i < b->sums.filter_count; i++)
        b->sums.filter[i] = stored(filter_type, b->filter[i]) - b->types.filter.zero_point;
    for (uint32_t o = 0; o < b->sums.out_c; o++)
        b->sums.bias[o] = b->bias[o] = hy_random_between(r, -30000, 30000);
}

static void expect(struct byte_sums *b)
{
    const struct hy_builder_type *out = &b->types.out;

    for (uint32_t i = 0; i < b->sums.out_count; i++) {
        const int64_t sum = (int64_t)product_sums_at(&b->sums, i).sum;
        const struct real_multiplier m = b->multipliers[i % b->sums.out_c];
        b->want[i] = clamped(rescaled(sum, m, is_half_up(b->sums.operation)) + out->zero_point,
                             least_of(out->type), most_of(out->type));
    }
}

static void check(struct claim *claim, struct claim_device *device, void *context)
{
    const struct byte_sums *b = context;

    for (uint32_t i = 0; i < b->sums.out_count; i++) {
        const int32_t got = stored(b->types.out.type, b->out[i]);
        if (got != b->want[i])
            claim_wrong(claim, device, "output %u of %u, filter %u x %u of %u channels: %d, not %d",
                        i, b->sums.out_count, b->sums.filter_h, b->sums.filter_w, b->sums.in_c, got,
                        b->want[i]);
    }
}

static void check_sums(struct claim *claim, int32_t operation, int32_t in_type, int32_t filter_type,
                       bool is_minimal)
{
    static struct byte_sums b;

    b.in_type = in_type;
    b.filter_type = filter_type;
    while (claim_goes_on(claim)) {
        struct hy_op_case test;
        product_sums_choose(&b.sums, &claim->random, operation, is_minimal);
        choose_quantisation(&b, &claim->random);
        product_sums_set_shapes(&b.sums, &b.types);
        fill(&b, &claim->random);
        expect(&b);
        product_sums_build(&b.sums, &b.types, b.in, b.filter, b.bias, b.out, sizeof b.out, &test);
        claim_run(claim, &test, check, &b);
        hy_op_case_finish(&test);
        claim_count(claim, b.sums.out_count);
    }
}

#define SUMS_CLAIM(name, operation, in_type, filter_type, is_minimal) \
    CLAIM(byte_sums, name) \
    { \
        check_sums(claim, operation, in_type, filter_type, is_minimal); \
    }

SUMS_CLAIM(conv_2d_of_uint8, HY_OP_CONV_2D, U8, U8, false)
SUMS_CLAIM(conv_2d_of_uint8_per_channel, HY_OP_CONV_2D, U8, PER_CHANNEL, false)
SUMS_CLAIM(conv_2d_of_int8, HY_OP_CONV_2D, S8, S8, false)
SUMS_CLAIM(conv_2d_of_int8_per_channel, HY_OP_CONV_2D, S8, PER_CHANNEL, false)
SUMS_CLAIM(conv_2d_of_uint8_by_minimal_filtering, HY_OP_CONV_2D, U8, U8, true)
SUMS_CLAIM(conv_2d_of_int8_by_minimal_filtering, HY_OP_CONV_2D, S8, PER_CHANNEL, true)
SUMS_CLAIM(depthwise_conv_2d_of_uint8, HY_OP_DEPTHWISE_CONV_2D, U8, U8, false)
SUMS_CLAIM(depthwise_conv_2d_of_uint8_per_channel, HY_OP_DEPTHWISE_CONV_2D, U8, PER_CHANNEL, false)
SUMS_CLAIM(depthwise_conv_2d_of_int8, HY_OP_DEPTHWISE_CONV_2D, S8, S8, false)
SUMS_CLAIM(depthwise_conv_2d_of_int8_per_channel, HY_OP_DEPTHWISE_CONV_2D, S8, PER_CHANNEL, false)
SUMS_CLAIM(grouped_conv_2d_of_uint8, HY_OP_GROUPED_CONV_2D, U8, U8, false)
SUMS_CLAIM(grouped_conv_2d_of_uint8_per_channel, HY_OP_GROUPED_CONV_2D, U8, PER_CHANNEL, false)
SUMS_CLAIM(grouped_conv_2d_of_int8, HY_OP_GROUPED_CONV_2D, S8, S8, false)
SUMS_CLAIM(grouped_conv_2d_of_int8_per_channel, HY_OP_GROUPED_CONV_2D, S8, PER_CHANNEL, false)
SUMS_CLAIM(transpose_conv_2d_of_uint8, HY_OP_TRANSPOSE_CONV_2D, U8, U8, false)
SUMS_CLAIM(transpose_conv_2d_of_uint8_per_channel, HY_OP_TRANSPOSE_CONV_2D, U8, PER_CHANNEL, false)
SUMS_CLAIM(transpose_conv_2d_of_int8, HY_OP_TRANSPOSE_CONV_2D, S8, S8, false)
SUMS_CLAIM(transpose_conv_2d_of_int8_per_channel, HY_OP_TRANSPOSE_CONV_2D, S8, PER_CHANNEL, false)
SUMS_CLAIM(fully_connected_of_uint8, HY_OP_FULLY_CONNECTED, U8, U8, false)
SUMS_CLAIM(fully_connected_of_int8, HY_OP_FULLY_CONNECTED, S8, S8, false)
SUMS_CLAIM(batch_matmul_of_int8, HY_OP_BATCH_MATMUL, S8, S8, false)
