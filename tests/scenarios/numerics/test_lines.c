#include <android/NeuralNetworksTypes.h>
#include <math.h>

#include "common/half.h"
#include "common/operations/operation.h"
#include "tests/scenarios/numerics/claim.h"
#include "tests/scenarios/numerics/float_distance.h"

/* Operations along lines of floats: reductions, normalisations and SOFTMAX, against long double. */

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define F16 ANEURALNETWORKS_TENSOR_FLOAT16

enum { LINES = 512, MOST_LINE = 32 };

typedef long double real;

struct lines {
    int32_t operation, type;
    uint32_t count; /* of a line */
    double most;
    bool is_reduced;
    float alpha, beta, offset; /* by operation */
    int32_t radius;
    float in[LINES * MOST_LINE];
    uint16_t half_in[LINES * MOST_LINE];
    union {
        float floats[LINES * MOST_LINE];
        uint16_t halves[LINES * MOST_LINE];
    } out;
    real exact[LINES * MOST_LINE];
    real unit[LINES * MOST_LINE];  /* a distance of 1 */
    real slack[LINES * MOST_LINE]; /* what the roundings to double may add to a distance of any */
};

static void check(struct claim *claim, struct claim_device *device, void *context)
{
    const struct lines *l = context;

    for (uint32_t i = 0; i < LINES * (l->is_reduced ? 1 : l->count); i++) {
        const float got =
            l->type == F32 ? l->out.floats[i] : hy_half_to_float_soft(l->out.halves[i]);
        const real apart = fmaxl(fabsl(got - l->exact[i]) - l->slack[i], 0);
        if (fabsl(l->exact[i]) < (real)LEAST_NORMAL && got == 0)
            continue;
        if (!claim_near(device, (double)(apart / l->unit[i]), l->most))
            claim_wrong(claim, device, "%u of lines of %u is %a, exactly %La", i, l->count,
                        (double)got, l->exact[i]);
    }
}

/* What one step of the output is, around a number. */
static real step(const struct lines *l, real x)
{
    const real half = fmaxl(ldexpl(1, ilogbl(fabsl(x) + 0x1p-30L) - 10), 0x1p-24L);
    return l->type == F32 ? (real)float_ulp((double)x) : half;
}

static void reduce(struct lines *l, uint32_t line)
{
    const float *in = l->in + (size_t)line * l->count;
    real sum = 0, magnitude = 0, product = 1;

    for (uint32_t i = 0; i < l->count; i++) {
        sum += in[i];
        magnitude += fabsf(in[i]);
        product *= in[i];
    }
    if (l->operation == HY_OP_MEAN) {
        sum /= l->count;
        magnitude /= l->count;
    }
    const bool is_product = l->operation == HY_OP_REDUCE_PROD;
    l->exact[line] = is_product ? product : sum;
    l->unit[line] = step(l, l->exact[line]);
    l->slack[line] = (l->count + 2) * 0x1p-53L * (is_product ? fabsl(product) : magnitude);
}

static void normalise_length(struct lines *l, uint32_t line)
{
    const size_t begin = (size_t)line * l->count;
    real sum = 0;

    for (uint32_t i = 0; i < l->count; i++)
        sum += (real)l->in[begin + i] * l->in[begin + i];
    for (uint32_t i = 0; i < l->count; i++) {
        l->exact[begin + i] = l->in[begin + i] / fmaxl(sqrtl(sum), 1e-6L);
        l->unit[begin + i] = step(l, l->exact[begin + i]);
    }
}

static void normalise_locally(struct lines *l, uint32_t line)
{
    const size_t begin = (size_t)line * l->count;

    for (int32_t i = 0; i < (int32_t)l->count; i++) {
        real sum = 0;
        for (int32_t j = i - l->radius; j <= i + l->radius; j++)
            if (j >= 0 && j < (int32_t)l->count)
                sum += (real)l->in[begin + j] * l->in[begin + j];
        const real scale = powl(l->offset + l->alpha * sum, -l->beta);
        l->exact[begin + i] = l->in[begin + i] * scale;
        l->unit[begin + i] = step(l, l->exact[begin + i]);
    }
}

static void normalise_instance(struct lines *l, uint32_t line)
{
    const size_t begin = (size_t)line * l->count;
    real mean = 0, variance = 0, largest = 0;

    for (uint32_t i = 0; i < l->count; i++) {
        mean += (real)l->in[begin + i] / l->count;
        largest = fmaxl(largest, fabsf(l->in[begin + i]));
    }
    for (uint32_t i = 0; i < l->count; i++)
        variance += (l->in[begin + i] - mean) * (l->in[begin + i] - mean) / l->count;
    const real scale = l->alpha / sqrtl(variance + 1e-4f);
    for (uint32_t i = 0; i < l->count; i++) {
        l->exact[begin + i] = (l->in[begin + i] - mean) * scale + l->offset;
        l->unit[begin + i] = step(l, l->exact[begin + i]);
        l->slack[begin + i] =
            (l->count + 8) * 0x1p-53L * (4 * largest * fabsl(scale) + fabsf(l->offset));
    }
}

/* In parts of 2^-24, of each of which there are as many as elements, and some for the distance to
 * the largest. */
static void soften(struct lines *l, uint32_t line)
{
    const size_t begin = (size_t)line * l->count;
    const bool is_log = l->operation == HY_OP_LOG_SOFTMAX;
    real sum = 0, largest = -INFINITY;

    for (uint32_t i = 0; i < l->count; i++)
        largest = fmaxl(largest, l->in[begin + i]);
    for (uint32_t i = 0; i < l->count; i++)
        sum += expl((l->in[begin + i] - largest) * l->beta);
    for (uint32_t i = 0; i < l->count; i++) {
        const real x = (l->in[begin + i] - largest) * l->beta;
        const real value = is_log ? x - logl(sum) : expl(x) / sum;
        l->exact[begin + i] = value;
        l->unit[begin + i] =
            0x1p-24L * (l->count + 4 * fabsl(x) + 8) * (is_log ? 1 : fabsl(value)) +
            (l->type == F16 ? step(l, value) / 2 : 0);
    }
}

/* ---- Models ---------------------------------------------------------------------------------- */

/* Scalars have the type of the data. */
static void add_real(struct hy_op_case *test, const struct lines *l, float value)
{
    const struct hy_builder_type half = {.type = ANEURALNETWORKS_FLOAT16};
    const uint16_t bits = hy_half_from_float_soft(value);

    if (l->type == F32)
        hy_op_case_float(test, value);
    else
        test->inputs[test->input_count++] =
            hy_builder_constant(&test->builder, &half, &bits, sizeof bits);
}

static void add_parameters(struct hy_op_case *test, const struct lines *l)
{
    static const int32_t axis = 1;

    switch (l->operation) {
    case HY_OP_MEAN:
        hy_op_case_ints(test, 1, (uint32_t[]){1}, &axis, true);
        hy_op_case_int(test, 0);
        return;
    case HY_OP_REDUCE_SUM:
    case HY_OP_REDUCE_PROD:
        hy_op_case_ints(test, 1, (uint32_t[]){1}, &axis, true);
        hy_op_case_bool(test, false);
        return;
    case HY_OP_LOCAL_RESPONSE_NORMALIZATION:
        hy_op_case_int(test, l->radius);
        add_real(test, l, l->offset);
        add_real(test, l, l->alpha);
        add_real(test, l, l->beta);
        return;
    case HY_OP_INSTANCE_NORMALIZATION:
        add_real(test, l, l->alpha);
        add_real(test, l, l->offset);
        add_real(test, l, 1e-4f);
        hy_op_case_bool(test, true); /* planes are lines */
        return;
    case HY_OP_SOFTMAX:
        add_real(test, l, l->beta);
        return;
    case HY_OP_LOG_SOFTMAX:
        add_real(test, l, l->beta);
        hy_op_case_int(test, 1);
        return;
    default:
        return;
    }
}

static void fill(struct hy_random *r, struct lines *l)
{
    const bool is_product = l->operation == HY_OP_REDUCE_PROD;

    for (uint32_t i = 0; i < LINES * l->count; i++) {
        const float x = hy_random_real(r, -1, 1);
        float value = is_product ? copysignf(0.7f + fabsf(x) * 0.6f, x) : 8 * x;
        l->half_in[i] = hy_half_from_float_soft(value);
        l->in[i] = l->type == F32 ? value : hy_half_to_float_soft(l->half_in[i]);
    }
}

/* A number that both types hold. */
static float parameter(struct hy_random *r, int32_t low, int32_t high)
{
    return (float)hy_random_between(r, low * 64, high * 64) / 64;
}

static void run(struct claim *claim, struct lines *l)
{
    const bool is_image = l->operation == HY_OP_INSTANCE_NORMALIZATION;
    const struct hy_builder_type in =
        is_image ? hy_op_case_type(l->type, 4, (uint32_t[]){1, LINES, 1, l->count})
                 : hy_op_case_type(l->type, 2, (uint32_t[]){LINES, l->count});
    const struct hy_builder_type out =
        l->is_reduced ? hy_op_case_type(l->type, 1, (uint32_t[]){LINES}) : in;
    struct hy_op_case test;

    hy_op_case_init(&test, l->operation);
    hy_op_case_tensor(&test, &in, l->type == F32 ? (const void *)l->in : l->half_in, false);
    add_parameters(&test, l);
    hy_op_case_output(&test, &out, &l->out, sizeof l->out);
    claim_run(claim, &test, check, l);
    hy_op_case_finish(&test);
    claim_count(claim, LINES * (l->is_reduced ? 1 : l->count));
}

static void check_lines(struct claim *claim, int32_t operation, int32_t type, double most,
                        void (*expect)(struct lines *l, uint32_t line))
{
    static struct lines l;

    l = (struct lines){.operation = operation, .type = type, .most = most};
    l.is_reduced = expect == reduce;
    while (claim_goes_on(claim)) {
        l.count = (uint32_t)hy_random_between(&claim->random, 1, MOST_LINE);
        l.radius = hy_random_between(&claim->random, 0, 3);
        l.alpha = parameter(&claim->random, 1, 3);
        l.beta = parameter(&claim->random, 0, 1) + 1.0f / 64;
        l.offset = parameter(&claim->random, 1, 3);
        fill(&claim->random, &l);
        for (uint32_t line = 0; line < LINES; line++)
            expect(&l, line);
        run(claim, &l);
    }
}

#define LINES_CLAIM(name, operation, type, most, expect) \
    CLAIM(lines, name) \
    { \
        check_lines(claim, operation, type, most, expect); \
    }

LINES_CLAIM(mean_of_float32_is_rounded_once, HY_OP_MEAN, F32, 0.5, reduce)
LINES_CLAIM(mean_of_float16_is_rounded_once, HY_OP_MEAN, F16, 0.501, reduce)
LINES_CLAIM(reduce_sum_of_float32_is_rounded_once, HY_OP_REDUCE_SUM, F32, 0.5, reduce)
LINES_CLAIM(reduce_sum_of_float16_is_rounded_once, HY_OP_REDUCE_SUM, F16, 0.501, reduce)
LINES_CLAIM(reduce_prod_of_float32_is_rounded_once, HY_OP_REDUCE_PROD, F32, 0.5, reduce)
LINES_CLAIM(reduce_prod_of_float16_is_rounded_once, HY_OP_REDUCE_PROD, F16, 0.501, reduce)
LINES_CLAIM(instance_normalization_of_float32_is_rounded_once, HY_OP_INSTANCE_NORMALIZATION, F32,
            0.5, normalise_instance)
LINES_CLAIM(l2_normalization_of_float32_is_within_its_bound, HY_OP_L2_NORMALIZATION, F32, 1.5,
            normalise_length)
LINES_CLAIM(local_response_normalization_of_float32_is_within_its_bound,
            HY_OP_LOCAL_RESPONSE_NORMALIZATION, F32, 8, normalise_locally)
LINES_CLAIM(softmax_of_float32_is_within_its_bound, HY_OP_SOFTMAX, F32, 1, soften)
LINES_CLAIM(softmax_of_float16_is_within_its_bound, HY_OP_SOFTMAX, F16, 1, soften)
LINES_CLAIM(log_softmax_of_float32_is_within_its_bound, HY_OP_LOG_SOFTMAX, F32, 1, soften)
LINES_CLAIM(log_softmax_of_float16_is_within_its_bound, HY_OP_LOG_SOFTMAX, F16, 1, soften)
