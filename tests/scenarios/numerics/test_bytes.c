#include <android/NeuralNetworksTypes.h>
#include <math.h>

#include "common/operations/operation.h"
#include "tests/scenarios/numerics/quantised.h"
#include "tests/scenarios/numerics/requantisation.h"

/* Operations on pairs of 8-bit numbers: all pairs, with other scales and zero points each time. */

struct pairs {
    int32_t operation, activation;
    struct hy_builder_type a_type, b_type, out_type;
    uint8_t a[CLAIM_BLOCK], b[CLAIM_BLOCK], out[CLAIM_BLOCK];
    uint8_t selector[CLAIM_BLOCK]; /* SELECT: the pair's first where it is not 0 */
    struct real_multiplier a_multiplier, b_multiplier, out_multiplier;
};

/* The stored number that pair `i` gives. */
typedef int32_t pair_fn(const struct pairs *p, uint32_t i);

struct pairs_claim {
    struct pairs *pairs;
    pair_fn *expected;
};

static void check(struct claim *claim, struct claim_device *device, void *context)
{
    const struct pairs_claim *c = context;
    const struct pairs *p = c->pairs;

    for (uint32_t i = 0; i < CLAIM_BLOCK; i++) {
        const int32_t want = c->expected(p, i);
        const int32_t got = stored(p->out_type.type, p->out[i]);
        if (want != got)
            claim_wrong(claim, device, "%d, %d at %a, %d and %d, %d at %a, %d make %d, not %d",
                        p->a_type.type, p->a[i], (double)p->a_type.scale, p->a_type.zero_point,
                        p->b[i], p->b_type.type, (double)p->b_type.scale, p->b_type.zero_point, got,
                        want);
    }
}

static void choose(struct hy_random *r, struct pairs *p, int32_t type)
{
    p->a_type = any_quantised(r, type, CLAIM_BLOCK);
    p->b_type = any_quantised(r, type, CLAIM_BLOCK);
    p->out_type = any_quantised(r, type, CLAIM_BLOCK);
    for (uint32_t i = 0; i < CLAIM_BLOCK; i++) {
        p->a[i] = (uint8_t)(i >> 8);
        p->b[i] = (uint8_t)i;
    }
}

static void run(struct claim *claim, struct pairs *p, pair_fn *expected)
{
    static const uint32_t count = CLAIM_BLOCK;
    const struct hy_builder_type condition =
        hy_op_case_type(ANEURALNETWORKS_TENSOR_BOOL8, 1, &count);
    struct pairs_claim context = {p, expected};
    struct hy_op_case test;

    hy_op_case_init(&test, p->operation);
    if (p->operation == HY_OP_SELECT)
        hy_op_case_tensor(&test, &condition, p->selector, false);
    hy_op_case_tensor(&test, &p->a_type, p->a, false);
    hy_op_case_tensor(&test, &p->b_type, p->b, false);
    if (p->activation >= 0)
        hy_op_case_int(&test, p->activation);
    hy_op_case_output(&test, &p->out_type, p->out, sizeof p->out);
    claim_run(claim, &test, check, &context);
    hy_op_case_finish(&test);
    claim_count(claim, CLAIM_BLOCK);
}

/* ---- Sums and products ----------------------------------------------------------------------- */

/* The stored number of a real one, as bounds of activations are: half away from zero. */
static int32_t stored_bound(const struct hy_builder_type *out, float real)
{
    const double steps = (double)roundf(real / out->scale) + out->zero_point;
    return (int32_t)fmin(fmax(steps, least_of(out->type)), most_of(out->type));
}

static int32_t finished(const struct pairs *p, int64_t steps)
{
    const struct hy_builder_type *out = &p->out_type;
    int32_t least = least_of(out->type), most = most_of(out->type);

    if (p->activation == ANEURALNETWORKS_FUSED_RELU || p->activation == ANEURALNETWORKS_FUSED_RELU6)
        least = stored_bound(out, 0);
    if (p->activation == ANEURALNETWORKS_FUSED_RELU1)
        least = stored_bound(out, -1);
    if (p->activation == ANEURALNETWORKS_FUSED_RELU1)
        most = stored_bound(out, 1);
    if (p->activation == ANEURALNETWORKS_FUSED_RELU6)
        most = stored_bound(out, 6);
    return clamped(steps + out->zero_point, least, most);
}

static int64_t sum_side(int32_t steps, struct real_multiplier m)
{
    return rescaled((int64_t)steps * (1 << 20), m, false);
}

static int32_t expected_sum(const struct pairs *p, uint32_t i)
{
    const int64_t x = sum_side(steps_of(&p->a_type, p->a[i]), p->a_multiplier);
    const int64_t y = sum_side(steps_of(&p->b_type, p->b[i]), p->b_multiplier);

    return finished(p,
                    rescaled(p->operation == HY_OP_ADD ? x + y : x - y, p->out_multiplier, false));
}

static void check_sums(struct claim *claim, int32_t operation)
{
    static struct pairs p;

    p.operation = operation;
    while (claim_goes_on(claim)) {
        choose(&claim->random, &p, any_byte_type(&claim->random));
        p.activation = hy_random_between(&claim->random, 0, 3);
        const double a = (double)p.a_type.scale, b = (double)p.b_type.scale;
        const double common = 2 * fmax(a, b);
        p.a_multiplier = real_multiplier(a / common);
        p.b_multiplier = real_multiplier(b / common);
        p.out_multiplier = real_multiplier(common / ((1 << 20) * (double)p.out_type.scale));
        run(claim, &p, expected_sum);
    }
}

CLAIM(bytes, add_sums_in_a_common_scale_with_20_more_bits)
{
    check_sums(claim, HY_OP_ADD);
}

CLAIM(bytes, sub_sums_in_a_common_scale_with_20_more_bits)
{
    check_sums(claim, HY_OP_SUB);
}

static int32_t expected_product(const struct pairs *p, uint32_t i)
{
    const int32_t x = steps_of(&p->a_type, p->a[i]), y = steps_of(&p->b_type, p->b[i]);

    return finished(p, rescaled((int64_t)x * y, p->out_multiplier, false));
}

static struct real_multiplier of_product(const struct pairs *p)
{
    const volatile float product = p->a_type.scale * p->b_type.scale;
    return real_multiplier((double)product / (double)p->out_type.scale);
}

CLAIM(bytes, mul_rounds_its_product_twice)
{
    static struct pairs p;

    p.operation = HY_OP_MUL;
    while (claim_goes_on(claim)) {
        choose(&claim->random, &p, any_byte_type(&claim->random));
        p.activation = hy_random_between(&claim->random, 0, 3);
        p.out_multiplier = of_product(&p);
        run(claim, &p, expected_product);
    }
}

static int32_t expected_prelu(const struct pairs *p, uint32_t i)
{
    const int32_t x = steps_of(&p->a_type, p->a[i]), slope = steps_of(&p->b_type, p->b[i]);

    return finished(p, x >= 0 ? rescaled(x, p->a_multiplier, false)
                              : rescaled((int64_t)x * slope, p->out_multiplier, false));
}

CLAIM(bytes, prelu_rounds_what_it_gives_twice)
{
    static struct pairs p;

    p.operation = HY_OP_PRELU;
    p.activation = -1;
    while (claim_goes_on(claim)) {
        choose(&claim->random, &p, any_byte_type(&claim->random));
        p.a_multiplier = real_multiplier((double)p.a_type.scale / (double)p.out_type.scale);
        p.out_multiplier = of_product(&p);
        run(claim, &p, expected_prelu);
    }
}

/* ---- Choices --------------------------------------------------------------------------------- */

/* In double, half away from zero; the same number where both are stored alike. */
static int32_t requantised(const struct hy_builder_type *from, const struct hy_builder_type *to,
                           uint8_t byte)
{
    const double steps = round(real_of(from, byte) / (double)to->scale + to->zero_point);
    return (int32_t)fmin(fmax(steps, least_of(to->type)), most_of(to->type));
}

static int32_t expected_min_max(const struct pairs *p, uint32_t i)
{
    const int32_t x = requantised(&p->a_type, &p->out_type, p->a[i]);
    const int32_t y = requantised(&p->b_type, &p->out_type, p->b[i]);

    return (p->operation == HY_OP_MAXIMUM) == (x > y) ? x : y;
}

static void check_extremes(struct claim *claim, int32_t operation)
{
    static struct pairs p;

    p.operation = operation;
    p.activation = -1;
    while (claim_goes_on(claim)) {
        choose(&claim->random, &p, any_byte_type(&claim->random));
        if (hy_random_one_in(&claim->random, 4))
            p.b_type = p.out_type;
        run(claim, &p, expected_min_max);
    }
}

CLAIM(bytes, maximum_requantises_in_double)
{
    check_extremes(claim, HY_OP_MAXIMUM);
}

CLAIM(bytes, minimum_requantises_in_double)
{
    check_extremes(claim, HY_OP_MINIMUM);
}

static int32_t expected_select(const struct pairs *p, uint32_t i)
{
    return p->selector[i] ? requantised(&p->a_type, &p->out_type, p->a[i])
                          : requantised(&p->b_type, &p->out_type, p->b[i]);
}

CLAIM(bytes, select_requantises_in_double)
{
    static struct pairs p;

    p.operation = HY_OP_SELECT;
    p.activation = -1;
    while (claim_goes_on(claim)) {
        choose(&claim->random, &p, any_byte_type(&claim->random));
        for (uint32_t i = 0; i < CLAIM_BLOCK; i++)
            p.selector[i] = hy_random_next(&claim->random) >> 63 != 0;
        run(claim, &p, expected_select);
    }
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

static int32_t expected_comparison(const struct pairs *p, uint32_t i)
{
    const volatile float x = p->a_type.scale * (float)steps_of(&p->a_type, p->a[i]);
    const volatile float y = p->b_type.scale * (float)steps_of(&p->b_type, p->b[i]);

    switch (p->operation) {
    case HY_OP_EQUAL:
        return x == y;
    case HY_OP_NOT_EQUAL:
        return x != y;
    case HY_OP_LESS:
        return x < y;
    case HY_OP_LESS_EQUAL:
        return x <= y;
    case HY_OP_GREATER:
        return x > y;
    default: /* HY_OP_GREATER_EQUAL */
        return x >= y;
    }
}

CLAIM(bytes, comparisons_are_those_of_real_numbers_in_float32)
{
    static const int32_t operations[] = {HY_OP_EQUAL,      HY_OP_NOT_EQUAL, HY_OP_LESS,
                                         HY_OP_LESS_EQUAL, HY_OP_GREATER,   HY_OP_GREATER_EQUAL};
    static struct pairs p;
    const uint32_t count = CLAIM_BLOCK;

    p.activation = -1;
    for (uint32_t round = (uint32_t)claim->seed; claim_goes_on(claim); round++) {
        p.operation = operations[round % 6];
        choose(&claim->random, &p, any_byte_type(&claim->random));
        if (hy_random_one_in(&claim->random, 3)) /* many equal numbers */
            p.b_type.scale = p.a_type.scale * (float)hy_random_between(&claim->random, 1, 3);
        p.out_type = hy_op_case_type(ANEURALNETWORKS_TENSOR_BOOL8, 1, &count);
        run(claim, &p, expected_comparison);
    }
}
