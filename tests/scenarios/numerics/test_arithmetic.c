#include <android/NeuralNetworksTypes.h>

#include "common/half.h"
#include "common/operations/operation.h"
#include "tests/scenarios/numerics/claim.h"
#include "tests/scenarios/numerics/float_distance.h"

/* Operations on pairs of numbers, and casts: float32, float16 and int32, all to the bit. */

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define F16 ANEURALNETWORKS_TENSOR_FLOAT16
#define I32 ANEURALNETWORKS_TENSOR_INT32
#define U8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM

struct block {
    int32_t operation, type, activation; /* activation -1: the operation has none */
    uint32_t a[CLAIM_BLOCK], b[CLAIM_BLOCK], out[CLAIM_BLOCK]; /* or as many halves */
};

static bool has_subnormal(float a, float b)
{
    return (a != 0 && fabs((double)a) < LEAST_NORMAL) || (b != 0 && fabs((double)b) < LEAST_NORMAL);
}

static double operate(int32_t operation, double a, double b)
{
    switch (operation) {
    case HY_OP_ADD:
        return a + b;
    case HY_OP_SUB:
        return a - b;
    case HY_OP_MUL:
        return a * b;
    case HY_OP_DIV:
        return a / b;
    case HY_OP_MAXIMUM:
        return b > a ? b : a; /* NaN of a stays, that of b is ignored */
    default:                  /* HY_OP_MINIMUM */
        return b < a ? b : a;
    }
}

static float activate(int32_t activation, float x)
{
    static const float bounds[][2] = {{-INFINITY, INFINITY}, {0, INFINITY}, {-1, 1}, {0, 6}};

    if (activation < 0 || isnan(x))
        return x;
    const float least = bounds[activation][0], most = bounds[activation][1];
    return x < least ? least : x > most ? most : x;
}

/* Doubles have room for what rounding a sum, product or quotient of two floats to double and then
 * to float could do differently: they have more than twice the bits. */
static float expected(const struct block *b, float x, float y)
{
    return activate(b->activation, (float)operate(b->operation, (double)x, (double)y));
}

static bool is_float_right(const struct block *b, uint32_t i)
{
    const float x = float_of_bits(b->a[i]), y = float_of_bits(b->b[i]);
    const float want = expected(b, x, y), got = float_of_bits(b->out[i]);

    if (want == got || (isnan(want) && isnan(got)) || has_subnormal(x, y))
        return true;
    return fabs((double)want) <= LEAST_NORMAL && got == 0;
}

static bool is_half_right(const struct block *b, uint32_t i)
{
    const uint16_t got = ((const uint16_t *)b->out)[i];
    const uint16_t want =
        hy_half_from_float_soft(expected(b, hy_half_to_float_soft(((const uint16_t *)b->a)[i]),
                                         hy_half_to_float_soft(((const uint16_t *)b->b)[i])));
    const bool are_nan = (want & 0x7fff) > 0x7c00 && (got & 0x7fff) > 0x7c00;

    return want == got || are_nan || (want << 1 | got << 1) == 0; /* zeros of any sign */
}

static int64_t floor_quotient(int64_t a, int64_t b)
{
    const int64_t quotient = b ? a / b : 0;
    return b && quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

static bool is_int_right(const struct block *b, uint32_t i)
{
    const int64_t x = (int32_t)b->a[i], y = (int32_t)b->b[i];
    const int64_t want = b->operation == HY_OP_ADD   ? x + y
                         : b->operation == HY_OP_SUB ? x - y
                         : b->operation == HY_OP_MUL ? x * y
                                                     : floor_quotient(x, y);

    return b->out[i] == (uint32_t)want;
}

static void check(struct claim *claim, struct claim_device *device, void *context)
{
    const struct block *b = context;
    bool (*is_right)(const struct block *, uint32_t) = b->type == F32   ? is_float_right
                                                       : b->type == F16 ? is_half_right
                                                                        : is_int_right;

    for (uint32_t i = 0; i < CLAIM_BLOCK; i++)
        if (!is_right(b, i))
            claim_wrong(claim, device, "activation %d of words %u: %#x and %#x make %#x",
                        b->activation, i, b->a[i], b->b[i], b->out[i]);
}

static void run_pairs(struct claim *claim, struct block *b)
{
    const uint32_t count = CLAIM_BLOCK;
    const struct hy_builder_type type = hy_op_case_type(b->type, 1, &count);
    struct hy_op_case test;

    hy_op_case_init(&test, b->operation);
    hy_op_case_tensor(&test, &type, b->a, false);
    hy_op_case_tensor(&test, &type, b->b, false);
    if (b->activation >= 0)
        hy_op_case_int(&test, b->activation);
    hy_op_case_output(&test, &type, b->out, sizeof b->out);
    claim_run(claim, &test, check, b);
    hy_op_case_finish(&test);
    claim_count(claim, count);
}

/* ---- float32 --------------------------------------------------------------------------------- */

/* Any float, infinities and NaN too; or near another, so that sums cancel and products stay. */
static uint32_t near_bits(struct hy_random *r, uint32_t bits)
{
    const uint64_t bit = hy_random_next(r);

    switch (bit >> 62) {
    case 0:
        return (uint32_t)bit;
    case 1:
        return (bits ^ (uint32_t)(bit & 0x80000fff));
    default:
        return (uint32_t)(0x3f800000 + (int32_t)(bit & 0x07ffffff) - 0x04000000) ^
               (uint32_t)(bit >> 30 & 1) << 31;
    }
}

static void check_floats(struct claim *claim, int32_t operation, bool has_activation)
{
    static struct block block;

    block.operation = operation;
    block.type = F32;
    for (uint32_t round = (uint32_t)claim->seed; claim_goes_on(claim); round++) {
        block.activation = has_activation ? (int32_t)(round % 4) : -1;
        for (uint32_t i = 0; i < CLAIM_BLOCK; i++) {
            block.a[i] = near_bits(&claim->random, 0);
            block.b[i] = near_bits(&claim->random, block.a[i]);
        }
        run_pairs(claim, &block);
    }
}

CLAIM(arithmetic, add_of_float32_is_rounded_once)
{
    check_floats(claim, HY_OP_ADD, true);
}

CLAIM(arithmetic, sub_of_float32_is_rounded_once)
{
    check_floats(claim, HY_OP_SUB, true);
}

CLAIM(arithmetic, mul_of_float32_is_rounded_once)
{
    check_floats(claim, HY_OP_MUL, true);
}

CLAIM(arithmetic, div_of_float32_is_rounded_once)
{
    check_floats(claim, HY_OP_DIV, true);
}

CLAIM(arithmetic, maximum_of_float32_has_nan_of_the_first)
{
    check_floats(claim, HY_OP_MAXIMUM, false);
}

CLAIM(arithmetic, minimum_of_float32_has_nan_of_the_first)
{
    check_floats(claim, HY_OP_MINIMUM, false);
}

/* ---- float16 --------------------------------------------------------------------------------- */

static void check_halves(struct claim *claim, int32_t operation, bool has_activation)
{
    static struct block block;

    block.operation = operation;
    block.type = F16;
    for (uint32_t round = (uint32_t)claim->seed; claim_goes_on(claim); round++) {
        block.activation = has_activation ? (int32_t)(round % 4) : -1;
        for (uint32_t i = 0; i < CLAIM_BLOCK / 2; i++) {
            block.a[i] = (uint32_t)hy_random_next(&claim->random);
            block.b[i] = (uint32_t)hy_random_next(&claim->random);
        }
        run_pairs(claim, &block);
    }
}

CLAIM(arithmetic, add_of_float16_is_that_of_float32_narrowed_once)
{
    check_halves(claim, HY_OP_ADD, true);
}

CLAIM(arithmetic, sub_of_float16_is_that_of_float32_narrowed_once)
{
    check_halves(claim, HY_OP_SUB, true);
}

CLAIM(arithmetic, mul_of_float16_is_that_of_float32_narrowed_once)
{
    check_halves(claim, HY_OP_MUL, true);
}

CLAIM(arithmetic, div_of_float16_is_that_of_float32_narrowed_once)
{
    check_halves(claim, HY_OP_DIV, true);
}

/* ---- int32 ----------------------------------------------------------------------------------- */

/* Any number; small ones; and the ends of the range. */
static uint32_t whole_number(struct hy_random *r)
{
    static const int32_t ends[] = {0, -1, 1, INT32_MIN, INT32_MAX, INT32_MIN + 1, 2, -2};
    const uint64_t bits = hy_random_next(r);

    switch (bits >> 61) {
    case 0:
        return (uint32_t)ends[bits & 7];
    case 1:
    case 2:
    case 3:
        return (uint32_t)((int32_t)(bits & 0xff) - 128);
    default:
        return (uint32_t)bits;
    }
}

static void check_ints(struct claim *claim, int32_t operation)
{
    static struct block block;

    block.operation = operation;
    block.type = I32;
    block.activation = ANEURALNETWORKS_FUSED_NONE;
    while (claim_goes_on(claim)) {
        for (uint32_t i = 0; i < CLAIM_BLOCK; i++) {
            block.a[i] = whole_number(&claim->random);
            block.b[i] = whole_number(&claim->random);
        }
        run_pairs(claim, &block);
    }
}

CLAIM(arithmetic, add_of_int32_wraps_around)
{
    check_ints(claim, HY_OP_ADD);
}

CLAIM(arithmetic, sub_of_int32_wraps_around)
{
    check_ints(claim, HY_OP_SUB);
}

CLAIM(arithmetic, mul_of_int32_wraps_around)
{
    check_ints(claim, HY_OP_MUL);
}

CLAIM(arithmetic, div_of_int32_rounds_down_and_is_zero_by_zero)
{
    check_ints(claim, HY_OP_DIV);
}

/* ---- POW ------------------------------------------------------------------------------------- */

static void check_pow(struct claim *claim, struct claim_device *device, void *context)
{
    const struct block *b = context;

    for (uint32_t i = 0; i < CLAIM_BLOCK; i++) {
        const float x = float_of_bits(b->a[i]), y = float_of_bits(b->b[i]);
        const double want = pow((double)x, (double)y);
        const float got = float_of_bits(b->out[i]);
        if (!has_subnormal(x, y) && !claim_near(device, float_distance(want, got), 1))
            claim_wrong(claim, device, "%a to the power of %a is %a, exactly %a", (double)x,
                        (double)y, (double)got, want);
    }
}

/* Any numbers, and such whose power is a number. */
CLAIM(arithmetic, pow_is_within_its_bound)
{
    static struct block block;
    const uint32_t count = CLAIM_BLOCK;
    const struct hy_builder_type type = hy_op_case_type(F32, 1, &count);

    while (claim_goes_on(claim)) {
        struct hy_op_case test;
        for (uint32_t i = 0; i < CLAIM_BLOCK; i++) {
            const float x = exp2f(10 * hy_random_real(&claim->random, -1, 1));
            const float y = 12 * hy_random_real(&claim->random, -1, 1);
            block.a[i] = i % 4 ? float_bits(x) : (uint32_t)hy_random_next(&claim->random);
            block.b[i] = i % 4 ? float_bits(y) : (uint32_t)hy_random_next(&claim->random);
        }
        hy_op_case_init(&test, HY_OP_POW);
        hy_op_case_tensor(&test, &type, block.a, false);
        hy_op_case_tensor(&test, &type, block.b, false);
        hy_op_case_output(&test, &type, block.out, sizeof block.out);
        claim_run(claim, &test, check_pow, &block);
        hy_op_case_finish(&test);
        claim_count(claim, count);
    }
}

/* ---- Casts ----------------------------------------------------------------------------------- */

struct cast {
    int32_t from, to;
    uint32_t in[CLAIM_BLOCK], out[CLAIM_BLOCK];
};

static double element(int32_t type, const void *tensor, uint32_t i)
{
    switch (type) {
    case F32:
        return ((const float *)tensor)[i];
    case F16:
        return (double)hy_half_to_float_soft(((const uint16_t *)tensor)[i]);
    case I32:
        return ((const int32_t *)tensor)[i];
    default:
        return ((const uint8_t *)tensor)[i];
    }
}

static double cast(int32_t to, double x)
{
    const double least = to == I32 ? INT32_MIN : 0, most = to == I32 ? INT32_MAX : UINT8_MAX;

    if (to == F32)
        return (double)(float)x;
    if (to == F16)
        return (double)hy_half_to_float_soft(hy_half_from_float_soft((float)x));
    return isnan(x) ? 0 : fmin(fmax(trunc(x), least), most);
}

static void check_cast(struct claim *claim, struct claim_device *device, void *context)
{
    const struct cast *c = context;

    for (uint32_t i = 0; i < CLAIM_BLOCK; i++) {
        const double x = element(c->from, c->in, i), want = cast(c->to, x);
        const double got = element(c->to, c->out, i);
        const bool may_be_zero = fabs(want) <= LEAST_NORMAL && got == 0;
        if (want != got && !(isnan(want) && isnan(got)) && !may_be_zero)
            claim_wrong(claim, device, "%a becomes %a, expected %a", x, got, want);
    }
}

static void check_casts(struct claim *claim, int32_t to)
{
    static const int32_t types[] = {F32, F16, I32, U8};
    static struct cast c;
    const uint32_t count = CLAIM_BLOCK;

    c.to = to;
    for (uint32_t round = (uint32_t)claim->seed; claim_goes_on(claim); round++) {
        c.from = types[round % 4];
        if (c.from == to)
            continue;
        for (uint32_t i = 0; i < CLAIM_BLOCK; i++)
            c.in[i] = (uint32_t)hy_random_next(&claim->random);
        for (uint32_t i = 0; i < CLAIM_BLOCK && c.from == F32; i += 2) /* within the ranges */
            ((float *)c.in)[i] = 600 * hy_random_real(&claim->random, -1, 1);
        const struct hy_builder_type in = hy_op_case_type(c.from, 1, &count);
        const struct hy_builder_type out = hy_op_case_type(to, 1, &count);
        struct hy_op_case test;
        hy_op_case_init(&test, HY_OP_CAST);
        hy_op_case_tensor(&test, &in, c.in, false);
        hy_op_case_output(&test, &out, c.out, sizeof c.out);
        claim_run(claim, &test, check_cast, &c);
        hy_op_case_finish(&test);
        claim_count(claim, count);
    }
}

CLAIM(arithmetic, cast_to_int32_truncates_and_saturates)
{
    check_casts(claim, I32);
}

CLAIM(arithmetic, cast_to_uint8_truncates_and_saturates)
{
    check_casts(claim, U8);
}

CLAIM(arithmetic, cast_to_float32_is_rounded_once)
{
    check_casts(claim, F32);
}

/* int32 goes through float32: two roundings. */
CLAIM(arithmetic, cast_to_float16_is_that_of_float32_narrowed)
{
    check_casts(claim, F16);
}
