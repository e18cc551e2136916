#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "tests/scenarios/numerics/claim.h"
#include "tests/scenarios/numerics/float_distance.h"

/*
 * Functions of one float32 against their values in double: all floats, or a sample of all signs,
 * exponents and mantissas. In ulp of the exact value.
 */

struct function {
    int32_t operation;
    double (*exact)(double x);
    double most_here, most_reference; /* ulp: halyard-cpu, and nnapi-reference with glibc */
};

struct block {
    const struct function *function;
    uint32_t count;
    float in[CLAIM_BLOCK], out[CLAIM_BLOCK];
    double exact[CLAIM_BLOCK];
    float fast[CLAIM_BLOCK]; /* what the first set of halyard-cpu gave */
    bool has_fast;
};

/* A subnormal input may be read as 0. */
static double distance_at(const struct block *b, uint32_t i)
{
    const double distance = float_distance(b->exact[i], b->out[i]);

    if (distance <= b->function->most_here || fabs((double)b->in[i]) >= LEAST_NORMAL)
        return distance;
    return float_distance(b->function->exact(copysign(0, (double)b->in[i])), b->out[i]);
}

static bool is_small(float x)
{
    return fabs((double)x) < LEAST_NORMAL;
}

static bool is_same(float a, float b)
{
    return float_bits(a) == float_bits(b) || (isnan(a) && isnan(b)) || (is_small(a) && is_small(b));
}

static void check_bits(struct claim *claim, struct claim_device *device, struct block *b)
{
    if (!b->has_fast)
        memcpy(b->fast, b->out, b->count * sizeof *b->out);
    b->has_fast = true;
    for (uint32_t i = 0; i < b->count; i++)
        if (!is_same(b->fast[i], b->out[i]))
            claim_wrong(claim, device, "of %a is %a, with another set %a", (double)b->in[i],
                        (double)b->out[i], (double)b->fast[i]);
}

static void check(struct claim *claim, struct claim_device *device, void *context)
{
    struct block *b = context;
    const double most = device->is_reference ? b->function->most_reference : b->function->most_here;

    for (uint32_t i = 0; i < b->count; i++)
        if (!claim_near(device, distance_at(b, i), most))
            claim_wrong(claim, device, "of %a is %a, exactly %a", (double)b->in[i],
                        (double)b->out[i], b->exact[i]);
    if (!device->is_reference)
        check_bits(claim, device, b);
}

static void run_block(struct claim *claim, struct block *b)
{
    const struct hy_builder_type type =
        hy_op_case_type(ANEURALNETWORKS_TENSOR_FLOAT32, 1, &b->count);
    struct hy_op_case test;

    b->has_fast = false;
    for (uint32_t i = 0; i < b->count; i++)
        b->exact[i] = b->function->exact((double)b->in[i]);
    hy_op_case_init(&test, b->function->operation);
    hy_op_case_tensor(&test, &type, b->in, false);
    if (b->function->operation == HY_OP_ELU)
        hy_op_case_float(&test, 1);
    hy_op_case_output(&test, &type, b->out, b->count * sizeof *b->out);
    claim_run(claim, &test, check, b);
    hy_op_case_finish(&test);
    claim_count(claim, b->count);
}

/* All floats one by one; or by a step that has no divisor in common with powers of two, so that it
 * comes by all exponents with ever other mantissas. */
static void check_floats(struct claim *claim, const struct function *function)
{
    static struct block block;
    const uint64_t step = claim->is_whole ? 1 : (UINT64_C(1) << 32) / claim->elements | 1;
    uint64_t bits = claim->is_whole ? 0 : hy_random_next(&claim->random) % step;

    claim->elements = UINT64_C(1) << 32;
    block.function = function;
    while (bits <= UINT32_MAX && !claim->first[0]) {
        for (block.count = 0; block.count < CLAIM_BLOCK && bits <= UINT32_MAX; bits += step)
            block.in[block.count++] = float_of_bits((uint32_t)bits);
        run_block(claim, &block);
    }
    claim->elements = claim->seen;
}

static double exact_elu(double x)
{
    return x < 0 ? expm1(x) : x;
}

static double exact_hard_swish(double x)
{
    return x * (x < -3 ? 0 : x > 3 ? 6 : x + 3) / 6;
}

static double exact_logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double exact_rsqrt(double x)
{
    return 1 / sqrt(x);
}

static double exact_neg(double x)
{
    return -x;
}

static double exact_relu(double x)
{
    return x < 0 ? 0 : x;
}

static double exact_relu1(double x)
{
    return x < -1 ? -1 : x > 1 ? 1 : x;
}

static double exact_relu6(double x)
{
    return x < 0 ? 0 : x > 6 ? 6 : x;
}

#define FUNCTION_CLAIM(name, operation, exact, most_here, most_reference) \
    CLAIM(functions, name) \
    { \
        static const struct function function = {operation, exact, most_here, most_reference}; \
        check_floats(claim, &function); \
    }

FUNCTION_CLAIM(abs_is_exact, HY_OP_ABS, fabs, 0, 0)
FUNCTION_CLAIM(neg_is_exact, HY_OP_NEG, exact_neg, 0, 0)
FUNCTION_CLAIM(floor_is_exact, HY_OP_FLOOR, floor, 0, 0)
FUNCTION_CLAIM(relu_is_exact, HY_OP_RELU, exact_relu, 0, 0)
FUNCTION_CLAIM(relu1_is_exact, HY_OP_RELU1, exact_relu1, 0, 0)
FUNCTION_CLAIM(relu6_is_exact, HY_OP_RELU6, exact_relu6, 0, 0)
FUNCTION_CLAIM(sqrt_is_rounded_once, HY_OP_SQRT, sqrt, 0.5, 0.5)
FUNCTION_CLAIM(rsqrt_is_within_its_bound, HY_OP_RSQRT, exact_rsqrt, 1.5, 1.5)
FUNCTION_CLAIM(elu_is_within_its_bound, HY_OP_ELU, exact_elu, 1, 1)
FUNCTION_CLAIM(exp_is_within_its_bound, HY_OP_EXP, exp, 0.8, 1)
FUNCTION_CLAIM(log_is_within_its_bound, HY_OP_LOG, log, 1, 1)
FUNCTION_CLAIM(sin_is_within_its_bound, HY_OP_SIN, sin, 1, 1)
FUNCTION_CLAIM(tanh_is_within_its_bound, HY_OP_TANH, tanh, 2, 3)
FUNCTION_CLAIM(logistic_is_within_its_bound, HY_OP_LOGISTIC, exact_logistic, 2, 3)
FUNCTION_CLAIM(hard_swish_is_within_its_bound, HY_OP_HARD_SWISH, exact_hard_swish, 2, 2)
