#include <android/NeuralNetworksTypes.h>
#include <math.h>

#include "common/operations/operation.h"
#include "tests/scenarios/numerics/float_distance.h"
#include "tests/scenarios/numerics/quantised.h"

/*
 * Functions of 8-bit numbers, in steps of the output from the exact real result. What is exactly
 * half a step away may go either way where the computation is in float32: no bound is below 0.5.
 */

enum { BYTES = 256 };

/* ---- Functions of one byte ------------------------------------------------------------------- */

struct table {
    int32_t operation;
    struct hy_builder_type in_type, out_type;
    double (*exact)(double x);
    double most; /* steps */
    uint8_t in[BYTES], out[BYTES];
};

/* The exact result in steps of the output, kept within its type. NaN is as large as it gets. */
static double exact_steps(const struct hy_builder_type *out, double real)
{
    const double steps = real / (double)out->scale + out->zero_point;
    return isnan(steps) ? most_of(out->type)
                        : fmin(fmax(steps, least_of(out->type)), most_of(out->type));
}

static void check_table(struct claim *claim, struct claim_device *device, void *context)
{
    const struct table *t = context;

    for (int i = 0; i < BYTES; i++) {
        const double want = exact_steps(&t->out_type, t->exact(real_of(&t->in_type, t->in[i])));
        const int32_t got = stored(t->out_type.type, t->out[i]);
        if (!claim_near(device, fabs(want - got), t->most))
            claim_wrong(claim, device, "%d of type %d at %a, %d is %d at %a, %d, exactly %.9g",
                        t->in[i], t->in_type.type, (double)t->in_type.scale, t->in_type.zero_point,
                        got, (double)t->out_type.scale, t->out_type.zero_point, want);
    }
}

/* `parts`: the output's scale is 1 / parts, and its zero point `zero` above the least; 0: any. */
static void check_function(struct claim *claim, struct table *t, int parts, int32_t zero)
{
    for (int i = 0; i < BYTES; i++)
        t->in[i] = (uint8_t)i;
    while (claim_goes_on(claim)) {
        struct hy_op_case test;
        t->in_type = any_quantised(&claim->random, any_byte_type(&claim->random), BYTES);
        t->out_type = any_quantised(&claim->random, t->in_type.type, BYTES);
        if (parts) {
            t->out_type.scale = 1 / (float)parts;
            t->out_type.zero_point = least_of(t->out_type.type) + zero;
        }
        hy_op_case_init(&test, t->operation);
        hy_op_case_tensor(&test, &t->in_type, t->in, false);
        hy_op_case_output(&test, &t->out_type, t->out, sizeof t->out);
        claim_run(claim, &test, check_table, t);
        hy_op_case_finish(&test);
        claim_count(claim, BYTES);
    }
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double rsqrt(double x)
{
    return 1 / sqrt(x);
}

static double hard_swish(double x)
{
    return x * fmin(fmax(x + 3, 0), 6) / 6;
}

CLAIM(byte_functions, logistic_is_the_nearest_step)
{
    struct table t = {.operation = HY_OP_LOGISTIC, .exact = logistic, .most = 0.5001};
    check_function(claim, &t, 256, 0);
}

CLAIM(byte_functions, tanh_is_the_nearest_step)
{
    struct table t = {.operation = HY_OP_TANH, .exact = tanh, .most = 0.5001};
    check_function(claim, &t, 128, 128);
}

CLAIM(byte_functions, rsqrt_is_the_nearest_step)
{
    struct table t = {.operation = HY_OP_RSQRT, .exact = rsqrt, .most = 0.5001};
    check_function(claim, &t, 0, 0);
}

CLAIM(byte_functions, hard_swish_is_within_its_bound)
{
    struct table t = {.operation = HY_OP_HARD_SWISH, .exact = hard_swish, .most = 1.5};
    check_function(claim, &t, 0, 0);
}

/* ---- QUANTIZE -------------------------------------------------------------------------------- */

struct quantize {
    struct hy_builder_type out_type;
    float in[CLAIM_BLOCK];
    uint8_t out[CLAIM_BLOCK];
};

static void check_quantize(struct claim *claim, struct claim_device *device, void *context)
{
    const struct quantize *q = context;

    for (uint32_t i = 0; i < CLAIM_BLOCK; i++) {
        const double want = exact_steps(&q->out_type, (double)q->in[i]);
        const int32_t got = stored(q->out_type.type, q->out[i]);
        if (!claim_near(device, fabs(want - got), 0.5001))
            claim_wrong(claim, device, "%a at %a, %d is %d, exactly %.9g", (double)q->in[i],
                        (double)q->out_type.scale, q->out_type.zero_point, got, want);
    }
}

/* One float in four is any, the others lie around the range of the type. */
CLAIM(byte_functions, quantize_is_the_nearest_step)
{
    static struct quantize q;
    const uint32_t count = CLAIM_BLOCK;
    const struct hy_builder_type in = hy_op_case_type(ANEURALNETWORKS_TENSOR_FLOAT32, 1, &count);

    while (claim_goes_on(claim)) {
        struct hy_op_case test;
        q.out_type = any_quantised(&claim->random, any_byte_type(&claim->random), count);
        for (uint32_t i = 0; i < count; i++)
            q.in[i] = i % 4 ? 300 * hy_random_real(&claim->random, -1, 1) * q.out_type.scale
                            : float_of_bits((uint32_t)hy_random_next(&claim->random));
        hy_op_case_init(&test, HY_OP_QUANTIZE);
        hy_op_case_tensor(&test, &in, q.in, false);
        hy_op_case_output(&test, &q.out_type, q.out, sizeof q.out);
        claim_run(claim, &test, check_quantize, &q);
        hy_op_case_finish(&test);
        claim_count(claim, count);
    }
}

/* ---- CONCATENATION --------------------------------------------------------------------------- */

struct joined {
    struct hy_builder_type a_type, b_type, out_type;
    uint8_t in[BYTES], out[2 * BYTES];
};

/* In float32, as docs/numerics.md gives it. */
static int32_t joined_number(const struct joined *j, const struct hy_builder_type *in, uint8_t byte)
{
    const volatile float inverse = 1 / j->out_type.scale, ratio = in->scale * inverse;
    const volatile float offset = (float)-in->zero_point * ratio;
    const volatile float product = (float)stored(in->type, byte) * ratio;
    const double steps = (double)roundf(product + offset) + j->out_type.zero_point;

    if (in->scale == j->out_type.scale && in->zero_point == j->out_type.zero_point)
        return stored(in->type, byte);
    return (int32_t)fmin(fmax(steps, least_of(in->type)), most_of(in->type));
}

static void check_joined(struct claim *claim, struct claim_device *device, void *context)
{
    const struct joined *j = context;

    for (int i = 0; i < 2 * BYTES; i++) {
        const struct hy_builder_type *in = i < BYTES ? &j->a_type : &j->b_type;
        const int32_t want = joined_number(j, in, j->in[i % BYTES]);
        const int32_t got = stored(j->out_type.type, j->out[i]);
        if (want != got)
            claim_wrong(claim, device, "%d at %a, %d is %d at %a, %d, not %d", j->in[i % BYTES],
                        (double)in->scale, in->zero_point, got, (double)j->out_type.scale,
                        j->out_type.zero_point, want);
    }
}

CLAIM(byte_functions, concatenation_requantises_in_float32)
{
    struct joined j;

    for (int i = 0; i < BYTES; i++)
        j.in[i] = (uint8_t)i;
    while (claim_goes_on(claim)) {
        const int32_t type = any_byte_type(&claim->random);
        struct hy_op_case test;
        j.a_type = any_quantised(&claim->random, type, BYTES);
        j.b_type = any_quantised(&claim->random, type, BYTES);
        j.out_type = any_quantised(&claim->random, type, 2 * BYTES);
        if (hy_random_one_in(&claim->random, 8)) {
            j.b_type.scale = j.out_type.scale;
            j.b_type.zero_point = j.out_type.zero_point;
        }
        hy_op_case_init(&test, HY_OP_CONCATENATION);
        hy_op_case_tensor(&test, &j.a_type, j.in, false);
        hy_op_case_tensor(&test, &j.b_type, j.in, false);
        hy_op_case_int(&test, 0);
        hy_op_case_output(&test, &j.out_type, j.out, sizeof j.out);
        claim_run(claim, &test, check_joined, &j);
        hy_op_case_finish(&test);
        claim_count(claim, 2 * BYTES);
    }
}

/* ---- Lines: SOFTMAX and L2_NORMALIZATION ----------------------------------------------------- */

enum { MOST_LINE = 512, LINES = 64 };

struct lines {
    int32_t operation;
    struct hy_builder_type in_type, out_type;
    float beta;
    double most;
    uint32_t count; /* of a line */
    uint8_t in[LINES * MOST_LINE], out[LINES * MOST_LINE];
};

/* The exact results of a line, as real numbers. */
static void exact_line(const struct lines *l, const uint8_t *in, double *exact)
{
    double sum = 0;
    int32_t largest = INT32_MIN;

    for (uint32_t i = 0; i < l->count; i++)
        largest = steps_of(&l->in_type, in[i]) > largest ? steps_of(&l->in_type, in[i]) : largest;
    for (uint32_t i = 0; i < l->count; i++) {
        const double x = steps_of(&l->in_type, in[i]);
        const double scale = (double)l->beta * (double)l->in_type.scale;
        exact[i] = l->operation == HY_OP_SOFTMAX ? exp((x - largest) * scale) : x;
        sum += l->operation == HY_OP_SOFTMAX ? exact[i] : x * x;
    }
    const double divisor = l->operation == HY_OP_SOFTMAX ? sum : fmax(sqrt(sum), 1e-6);
    for (uint32_t i = 0; i < l->count; i++)
        exact[i] /= divisor;
}

static void check_lines(struct claim *claim, struct claim_device *device, void *context)
{
    const struct lines *l = context;
    double exact[MOST_LINE];

    for (uint32_t line = 0; line < LINES; line++) {
        const uint8_t *in = l->in + line * l->count, *out = l->out + line * l->count;
        exact_line(l, in, exact);
        for (uint32_t i = 0; i < l->count; i++) {
            const double want = exact_steps(&l->out_type, exact[i]);
            const int32_t got = stored(l->out_type.type, out[i]);
            if (!claim_near(device, fabs(want - got), l->most))
                claim_wrong(claim, device, "%d of a line of %u is %d, exactly %.9g", in[i],
                            l->count, got, want);
        }
    }
}

static void add_parameters(struct hy_op_case *test, const struct lines *l)
{
    if (l->operation == HY_OP_SOFTMAX)
        hy_op_case_float(test, l->beta);
}

static void check_line_operation(struct claim *claim, struct lines *l, int parts, int32_t zero)
{
    while (claim_goes_on(claim)) {
        const int32_t type = any_byte_type(&claim->random);
        struct hy_op_case test;
        l->count = (uint32_t)hy_random_between(&claim->random, 1,
                                               hy_random_one_in(&claim->random, 2) ? 8 : MOST_LINE);
        l->in_type = any_quantised(&claim->random, type, LINES * l->count);
        l->in_type.rank = 2;
        l->in_type.dims[0] = LINES;
        l->in_type.dims[1] = l->count;
        l->out_type = l->in_type;
        l->out_type.scale = 1 / (float)parts;
        l->out_type.zero_point = least_of(type) + zero;
        l->beta = 1 + hy_random_real(&claim->random, -1, 1) / 2;
        fill_bytes(&claim->random, l->in, LINES * l->count);
        hy_op_case_init(&test, l->operation);
        hy_op_case_tensor(&test, &l->in_type, l->in, false);
        add_parameters(&test, l);
        hy_op_case_output(&test, &l->out_type, l->out, sizeof l->out);
        claim_run(claim, &test, check_lines, l);
        hy_op_case_finish(&test);
        claim_count(claim, LINES * l->count);
    }
}

CLAIM(byte_functions, softmax_is_the_nearest_step)
{
    static struct lines l = {.operation = HY_OP_SOFTMAX, .most = 0.501};
    check_line_operation(claim, &l, 256, 0);
}

CLAIM(byte_functions, l2_normalization_is_within_its_bound)
{
    static struct lines l = {.operation = HY_OP_L2_NORMALIZATION, .most = 0.76};
    check_line_operation(claim, &l, 128, 128);
}
