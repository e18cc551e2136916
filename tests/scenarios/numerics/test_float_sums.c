#include <android/NeuralNetworksTypes.h>
#include <math.h>

#include "common/half.h"
#include "common/operations/operation.h"
#include "tests/scenarios/numerics/float_distance.h"
#include "tests/scenarios/numerics/product_sums.h"

/*
 * Sums of products of float32 and float16, in parts of what n additions and n roundings of products
 * may add up to: (n + 1) times 2^-24 times the sum of the terms' magnitudes. A distance of 1 is
 * that bound.
 */

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define F16 ANEURALNETWORKS_TENSOR_FLOAT16

struct float_sums {
    struct product_sums sums;
    int32_t type;
    bool is_minimal;
    union tensor {
        float floats[SUMS_MOST_IN];
        uint16_t halves[SUMS_MOST_IN];
    } in, filter, bias, out;
    struct product_sum want[SUMS_MOST_OUT];
};

static void fill(struct hy_random *r, int32_t type, uint32_t count, union tensor *tensor,
                 double *numbers)
{
    for (uint32_t i = 0; i < count; i++) {
        const float x = hy_random_real(r, -1, 1) * (hy_random_one_in(r, 16) ? 16 : 1);
        if (type == F32)
            tensor->floats[i] = x;
        else
            tensor->halves[i] = hy_half_from_float_soft(x);
        numbers[i] = (double)(type == F32 ? x : hy_half_to_float_soft(tensor->halves[i]));
    }
}

/* Minimal filtering has a bound of its own, where it is larger: 16 (c + 10) e sum(D G). */
static double bound(const struct float_sums *f, uint32_t i, double apart)
{
    const double most = (f->want[i].terms + 1) * 0x1p-24 * f->want[i].magnitude;

    if (!f->is_minimal || apart <= most)
        return most;
    return fmax(most, 16 * (f->sums.in_c + 10) * 0x1p-24 * product_sums_reach(&f->sums, i));
}

/* What narrowing adds: half a step of a half. */
static double narrowing(double sum)
{
    return fmax(fabs(sum) * 0x1p-11, 0x1p-25) * (1 + 0x1p-10);
}

static void check(struct claim *claim, struct claim_device *device, void *context)
{
    const struct float_sums *f = context;

    for (uint32_t i = 0; i < f->sums.out_count; i++) {
        const struct product_sum *want = &f->want[i];
        const float got =
            f->type == F32 ? f->out.floats[i] : hy_half_to_float_soft(f->out.halves[i]);
        const double apart = fabs((double)got - want->sum);
        const double most = bound(f, i, apart) + (f->type == F16 ? narrowing(want->sum) : 0);
        if (!claim_near(device, apart / (most + LEAST_NORMAL), 1))
            claim_wrong(claim, device, "output %u of %u terms is %.9g, exactly %.9g", i,
                        want->terms, (double)got, want->sum);
        if (device->is_reference && f->type == F32 && got != want->ordered)
            claim_wrong(claim, device, "output %u of %u terms is %a, in order %a", i, want->terms,
                        (double)got, (double)want->ordered);
    }
}

/* ---- What is not finite ---------------------------------------------------------------------- */

static void put_infinities(struct hy_random *r, uint32_t count, union tensor *tensor,
                           double *numbers)
{
    static const float values[] = {INFINITY, -INFINITY, NAN};

    for (int i = hy_random_between(r, 1, 3); i > 0; i--) {
        const uint32_t at = (uint32_t)hy_random_between(r, 0, (int32_t)count - 1);
        tensor->floats[at] = values[hy_random_between(r, 0, 2)];
        numbers[at] = (double)tensor->floats[at];
    }
}

/* Whether all taps of the output lie inside the image, so that it meets no padding. */
static bool is_inside(const struct float_sums *f, uint32_t i)
{
    return f->want[i].terms == f->sums.filter_count / f->sums.out_c + 1;
}

/* Infinite weights times padding are NaN in halyard-cpu, and nothing in nnapi-reference. */
static void check_infinities(struct claim *claim, struct claim_device *device, void *context)
{
    const struct float_sums *f = context;

    for (uint32_t i = 0; i < f->sums.out_count; i++) {
        const double want = f->want[i].sum;
        const float got = f->out.floats[i];
        const double apart = fabs((double)got - want);
        const bool is_same = isnan(want)   ? isnan(got)
                             : isinf(want) ? (double)got == want
                                           : apart <= bound(f, i, apart);
        const bool may_meet_padding = !device->is_reference && !is_inside(f, i) && isnan(got);
        if (!is_same && !may_meet_padding)
            claim_wrong(claim, device, "output %u of %u terms is %.9g, exactly %.9g", i,
                        f->want[i].terms, (double)got, want);
    }
}

/* ---- Claims ---------------------------------------------------------------------------------- */

enum corrupted { NOTHING, INPUTS, WEIGHTS };

static void make(struct float_sums *f, struct hy_random *r, enum corrupted corrupted)
{
    fill(r, f->type, f->sums.in_count, &f->in, f->sums.in);
    fill(r, f->type, f->sums.filter_count, &f->filter, f->sums.filter);
    fill(r, f->type, f->sums.out_c, &f->bias, f->sums.bias);
    if (corrupted == INPUTS)
        put_infinities(r, f->sums.in_count, &f->in, f->sums.in);
    if (corrupted == WEIGHTS)
        put_infinities(r, f->sums.filter_count, &f->filter, f->sums.filter);
    for (uint32_t i = 0; i < f->sums.out_count; i++)
        f->want[i] = product_sums_at(&f->sums, i);
}

static void check_sums(struct claim *claim, int32_t operation, int32_t type, bool is_minimal,
                       enum corrupted corrupted)
{
    static struct float_sums f;
    struct product_types types = {
        .in.type = type, .filter.type = type, .bias.type = type, .out.type = type};

    f.type = type;
    f.is_minimal = is_minimal;
    while (claim_goes_on(claim)) {
        struct hy_op_case test;
        product_sums_choose(&f.sums, &claim->random, operation, is_minimal);
        product_sums_set_shapes(&f.sums, &types);
        make(&f, &claim->random, corrupted);
        product_sums_build(&f.sums, &types, &f.in, &f.filter, &f.bias, &f.out, sizeof f.out, &test);
        claim_run(claim, &test, corrupted == NOTHING ? check : check_infinities, &f);
        hy_op_case_finish(&test);
        claim_count(claim, f.sums.out_count);
    }
}

#define SUMS_CLAIM(name, operation, type, is_minimal, corrupted) \
    CLAIM(float_sums, name) \
    { \
        check_sums(claim, operation, type, is_minimal, corrupted); \
    }

SUMS_CLAIM(conv_2d_of_float32, HY_OP_CONV_2D, F32, false, NOTHING)
SUMS_CLAIM(conv_2d_of_float16, HY_OP_CONV_2D, F16, false, NOTHING)
SUMS_CLAIM(conv_2d_by_minimal_filtering, HY_OP_CONV_2D, F32, true, NOTHING)
SUMS_CLAIM(depthwise_conv_2d_of_float32, HY_OP_DEPTHWISE_CONV_2D, F32, false, NOTHING)
SUMS_CLAIM(depthwise_conv_2d_of_float16, HY_OP_DEPTHWISE_CONV_2D, F16, false, NOTHING)
SUMS_CLAIM(grouped_conv_2d_of_float32, HY_OP_GROUPED_CONV_2D, F32, false, NOTHING)
SUMS_CLAIM(grouped_conv_2d_of_float16, HY_OP_GROUPED_CONV_2D, F16, false, NOTHING)
SUMS_CLAIM(transpose_conv_2d_of_float32, HY_OP_TRANSPOSE_CONV_2D, F32, false, NOTHING)
SUMS_CLAIM(transpose_conv_2d_of_float16, HY_OP_TRANSPOSE_CONV_2D, F16, false, NOTHING)
SUMS_CLAIM(fully_connected_of_float32, HY_OP_FULLY_CONNECTED, F32, false, NOTHING)
SUMS_CLAIM(fully_connected_of_float16, HY_OP_FULLY_CONNECTED, F16, false, NOTHING)
SUMS_CLAIM(batch_matmul_of_float32, HY_OP_BATCH_MATMUL, F32, false, NOTHING)
SUMS_CLAIM(batch_matmul_of_float16, HY_OP_BATCH_MATMUL, F16, false, NOTHING)

SUMS_CLAIM(infinite_inputs_reach_the_outputs_above_them, HY_OP_CONV_2D, F32, false, INPUTS)
SUMS_CLAIM(infinite_inputs_reach_the_outputs_above_them_by_minimal_filtering, HY_OP_CONV_2D, F32,
           true, INPUTS)
SUMS_CLAIM(infinite_weights_reach_their_channel, HY_OP_CONV_2D, F32, false, WEIGHTS)
SUMS_CLAIM(infinite_weights_reach_their_channel_by_minimal_filtering, HY_OP_CONV_2D, F32, true,
           WEIGHTS)
