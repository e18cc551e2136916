#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/half.h"
#include "common/random.h"
#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

/* The functions of one number that instruction sets have kernels of their own for. */

enum { IN_SLOT, OUT_SLOT };

static double exact_logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double exact_elu(double x)
{
    return x < 0 ? expm1(x) : x;
}

/* Its limit, minus zero, where the product would be one of infinity and zero. */
static double exact_gelu(double x)
{
    return x < -40 ? -0.0 : x / 2 * erfc(x * -M_SQRT1_2);
}

static const struct function {
    const char *name;
    enum hy_unary op;
    double (*exact)(double x);
    double ulps; /* how far results may be off */
} functions[] = {
    {"elu", HY_UNARY_ELU, exact_elu, 2},    {"exp", HY_UNARY_EXP, exp, 2},
    {"log", HY_UNARY_LOG, log, 2},          {"logistic", HY_UNARY_LOGISTIC, exact_logistic, 2},
    {"sin", HY_UNARY_SIN, sin, 2},          {"tanh", HY_UNARY_TANH, tanh, 2},
    {"cos", HY_UNARY_COS, cos, 2},          {"erf", HY_UNARY_ERF, erf, 2},
    {"gelu", HY_UNARY_GELU, exact_gelu, 8},
};
#define FUNCTIONS (sizeof functions / sizeof *functions)

/* The distance of two neighbours among the floats around `x`. */
static double ulp(double x)
{
    int exponent;

    frexp(fmin(fabs(x), (double)FLT_MAX), &exponent);
    return ldexp(1, exponent < -125 ? -149 : exponent - 24);
}

static void expect_close(const struct function *function, enum hy_kernel_isa_level level, float x,
                         float got)
{
    const double want = function->exact((double)x);
    bool right =
        fabs((double)got - want) <= function->ulps * ulp(want) && !signbit(got) == !signbit(want);

    if (isnan(want))
        right = isnan(got);
    else if (fabs(want) < (double)FLT_MIN && got == 0)
        right = true; /* a subnormal result may be zero */
    else if (isinf((float)want) || isinf(got))
        right = got == (float)want;
    if (!right)
        hy_test_fail(__FILE__, __LINE__, "%s %s(%a) is %a, expected %a",
                     hy_kernel_isa_level_name(level), function->name, (double)x, (double)got, want);
}

static void run(const struct function *function, enum hy_kernel_isa_level level, size_t count,
                const float *in, float *out)
{
    const struct hy_unary_params params = {.count = count, .alpha = 1};
    tested_kernels_at(level)->unary[function->op][HY_ELEMENT_F32](&params, in, out);
}

static int best_level(void)
{
    int level = HY_KERNEL_ISA_LEVEL_COUNT - 1;
    while (!tested_kernels_at(level))
        level--;
    return level;
}

/* Every step-th float from bit pattern `begin` on: all signs and exponents, subnormal numbers,
 * infinities and NaN. */
static void check_range(const struct function *function, enum hy_kernel_isa_level level,
                        uint64_t begin, uint64_t step)
{
    enum { BLOCK = 4096 };
    static float in[BLOCK], out[BLOCK];

    while (begin <= UINT32_MAX) {
        size_t count = 0;
        for (; count < BLOCK && begin <= UINT32_MAX; count++, begin += step) {
            const uint32_t bits = (uint32_t)begin;
            memcpy(&in[count], &bits, sizeof bits);
        }
        run(function, level, count, in, out);
        for (size_t i = 0; i < count; i++)
            expect_close(function, level, in[i], out[i]);
    }
}

/* A step without a common divisor with powers of two reaches all mantissas. */
TEST(kernels_functions, are_within_a_few_ulp_of_the_exact_value_over_all_floats)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (size_t f = 0; f < FUNCTIONS && tested_kernels_at(level); f++)
            check_range(&functions[f], (enum hy_kernel_isa_level)level, 17 * f, 6151);
}

TEST(kernels_functions, give_the_same_bits_at_all_levels_above_the_reference)
{
    enum { COUNT = 1 << 16 };
    static float in[COUNT], want[COUNT], got[COUNT];
    const int best = best_level();

    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t bits = i * 65537u;
        memcpy(&in[i], &bits, sizeof bits);
    }
    for (int level = HY_KERNEL_REFERENCE + 1; level < best; level++)
        for (size_t f = 0; f < FUNCTIONS && tested_kernels_at(level); f++) {
            run(&functions[f], (enum hy_kernel_isa_level)best, COUNT, in, want);
            run(&functions[f], (enum hy_kernel_isa_level)level, COUNT, in, got);
            for (size_t i = 0; i < COUNT; i++)
                EXPECT(isnan(want[i]) ? isnan(got[i])
                                      : memcmp(&want[i], &got[i], sizeof *got) == 0);
        }
}

TEST(kernels_functions, are_exact_where_the_value_is_a_float)
{
    const float in[] = {0, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, -1e-40f, 200, -200};
    const float want[FUNCTIONS][9] = {
        {0, -0.0f, INFINITY, -1, NAN, 1e-40f, -1e-40f, 200, -1},
        {1, 1, INFINITY, 0, NAN, 1, 1, INFINITY, 0},
        {-INFINITY, -INFINITY, INFINITY, NAN, NAN, logf(1e-40f), NAN, logf(200), NAN},
        {0.5f, 0.5f, 1, 0, NAN, 0.5f, 0.5f, 1, 0},
        {0, -0.0f, NAN, NAN, NAN, 1e-40f, -1e-40f, sinf(200), -sinf(200)},
        {0, -0.0f, 1, -1, NAN, 1e-40f, -1e-40f, 1, -1},
        {1, 1, NAN, NAN, NAN, 1, 1, cosf(200), cosf(200)},
        {0, -0.0f, 1, -1, NAN, erff(1e-40f), erff(-1e-40f), 1, -1},
        {0, -0.0f, INFINITY, -0.0f, NAN, 5e-41f, -5e-41f, 200, -0.0f}};
    float out[9];

    for (int level = HY_KERNEL_REFERENCE; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (size_t f = 0; f < FUNCTIONS && tested_kernels_at(level); f++) {
            run(&functions[f], (enum hy_kernel_isa_level)level, 9, in, out);
            for (int i = 0; i < 9; i++)
                EXPECT(isnan(want[f][i])
                           ? isnan(out[i])
                           : out[i] == want[f][i] && !signbit(out[i]) == !signbit(want[f][i]));
        }
}

/* The tails of vectors: nothing beyond the end is touched, and an element's result does not depend
 * on its place. */
static void check_length(const struct function *function, enum hy_kernel_isa_level level,
                         size_t count)
{
    struct hy_random r = {count};
    float *in = tensor_random(&r, IN_SLOT, HY_ELEMENT_F32, count);
    float *out = tensor_blank(OUT_SLOT, HY_ELEMENT_F32, count);

    run(function, level, count, in, out);
    EXPECT(guarded_front_is_intact(OUT_SLOT));
    for (size_t i = 0; i < count; i++) {
        float alone;
        run(function, level, 1, in + i, &alone);
        EXPECT(memcmp(&alone, &out[i], sizeof alone) == 0);
    }
    run(function, level, count, in, in);
    EXPECT(count == 0 || memcmp(in, out, count * sizeof *in) == 0);
}

TEST(kernels_functions, take_any_count_in_place_or_not)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (size_t f = 0; f < FUNCTIONS && tested_kernels_at(level); f++)
            for (size_t count = 0; count <= 67; count++)
                check_length(&functions[f], (enum hy_kernel_isa_level)level, count);
}

TEST(kernels_functions, elu_is_alpha_times_that_of_one_below_zero)
{
    enum { COUNT = 77 };
    static const float alphas[] = {0, 0.25f, 1.5f, -3};
    struct hy_random r = {3};
    float in[COUNT], one[COUNT], out[COUNT];

    for (int i = 0; i < COUNT; i++)
        in[i] = 10 * hy_random_real(&r, -1, 1);
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (int a = 0; a < 4 && tested_kernels_at(level); a++) {
            const struct hy_unary_params params = {.count = COUNT, .alpha = alphas[a]};
            run(&functions[0], (enum hy_kernel_isa_level)level, COUNT, in, one);
            tested_kernels_at(level)->unary[HY_UNARY_ELU][HY_ELEMENT_F32](&params, in, out);
            for (int i = 0; i < COUNT; i++)
                EXPECT(out[i] == (in[i] < 0 ? alphas[a] * one[i] : in[i]));
        }
}

static const struct function exact_functions[] = {
    {.name = "abs", .op = HY_UNARY_ABS},
    {.name = "ceil", .op = HY_UNARY_CEIL},
    {.name = "clamp", .op = HY_UNARY_CLAMP},
    {.name = "floor", .op = HY_UNARY_FLOOR},
    {.name = "hard_swish", .op = HY_UNARY_HARD_SWISH},
    {.name = "leaky_relu", .op = HY_UNARY_LEAKY_RELU},
    {.name = "neg", .op = HY_UNARY_NEG},
    {.name = "round", .op = HY_UNARY_ROUND},
    {.name = "rsqrt", .op = HY_UNARY_RSQRT},
    {.name = "sign", .op = HY_UNARY_SIGN},
    {.name = "sqrt", .op = HY_UNARY_SQRT},
    {.name = "square", .op = HY_UNARY_SQUARE},
    {.name = "truncate", .op = HY_UNARY_TRUNCATE},
};
#define EXACT_FUNCTIONS (sizeof exact_functions / sizeof *exact_functions)

/* To the bit, over floats of all exponents and around whole numbers. */
static void check_bits(enum hy_kernel_isa_level level, const struct function *function)
{
    enum { COUNT = 1 << 17 };
    static float in[COUNT], want[COUNT], got[COUNT];
    const struct hy_unary_params params = {
        .count = COUNT, .alpha = 0.3f, .activation = {.min = -1, .max = 6}};

    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t bits = i * 65537u;
        if (i < COUNT / 2)
            memcpy(&in[i], &bits, sizeof bits);
        else
            in[i] = nextafterf((float)((int)(i % 1024) - 512) / 4, (float)(i / 1024 % 3) - 1);
    }
    hy_kernels_reference()->unary[function->op][HY_ELEMENT_F32](&params, in, want);
    tested_kernels_at(level)->unary[function->op][HY_ELEMENT_F32](&params, in, got);
    for (int i = 0; i < COUNT; i++)
        if (isnan(want[i]) ? !isnan(got[i]) : memcmp(&want[i], &got[i], sizeof *got) != 0)
            hy_test_fail(__FILE__, __LINE__, "%s %s of %a is %a, the reference has %a",
                         hy_kernel_isa_level_name(level), function->name, (double)in[i],
                         (double)got[i], (double)want[i]);
}

TEST(kernels_functions, exact_ones_have_the_bits_of_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (size_t f = 0; f < EXACT_FUNCTIONS && tested_kernels_at(level); f++) {
            check_bits((enum hy_kernel_isa_level)level, &exact_functions[f]);
            for (size_t count = 0; count <= 67; count++)
                check_length(&exact_functions[f], (enum hy_kernel_isa_level)level, count);
        }
}

/* ABS and NEG, which wrap. */
TEST(kernels_functions, of_whole_numbers_are_as_the_reference)
{
    enum { MOST = 67 };
    static const int32_t special[] = {0, 1, -1, INT32_MIN, INT32_MAX};
    struct hy_random r = {1};

    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (size_t count = 0; count <= MOST && tested_kernels_at(level); count++) {
            const struct hy_unary_params params = {.count = count};
            int32_t *in = tensor_blank(IN_SLOT, HY_ELEMENT_I32, count), want[MOST];
            int32_t *got = tensor_blank(OUT_SLOT, HY_ELEMENT_I32, count);
            for (size_t i = 0; i < count; i++)
                in[i] = i % 8 < 5 ? special[i % 8] : (int32_t)hy_random_next(&r);
            hy_kernels_reference()->unary[HY_UNARY_ABS][HY_ELEMENT_I32](&params, in, want);
            tested_kernels_at(level)->unary[HY_UNARY_ABS][HY_ELEMENT_I32](&params, in, got);
            EXPECT(count == 0 || memcmp(want, got, count * sizeof *want) == 0);
            hy_kernels_reference()->unary[HY_UNARY_NEG][HY_ELEMENT_I32](&params, in, want);
            tested_kernels_at(level)->unary[HY_UNARY_NEG][HY_ELEMENT_I32](&params, in, got);
            EXPECT(count == 0 || memcmp(want, got, count * sizeof *want) == 0);
            EXPECT(guarded_front_is_intact(OUT_SLOT));
        }
}

/* Long tensors begin with a part where they do not lie on the boundary of a vector. */
TEST(kernels_functions, take_any_alignment)
{
    enum { COUNT = 3000, SHIFTS = 17 };
    static float in[COUNT + SHIFTS], want[COUNT + SHIFTS], got[COUNT + SHIFTS + 1];
    struct hy_random r = {1};

    for (int i = 0; i < COUNT + SHIFTS; i++)
        in[i] = 10 * hy_random_real(&r, -1, 1);
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (int shift = 0; shift < SHIFTS && tested_kernels_at(level); shift++) {
            const struct hy_unary_params params = {.count = COUNT};
            hy_kernels_reference()->unary[HY_UNARY_NEG][HY_ELEMENT_F32](&params, in + shift, want);
            memset(got, 0x55, sizeof got);
            tested_kernels_at(level)->unary[HY_UNARY_NEG][HY_ELEMENT_F32](&params, in + shift,
                                                                          got + 1);
            EXPECT(memcmp(want, got + 1, COUNT * sizeof *got) == 0);
            EXPECT(memcmp(got, got + COUNT + 1, sizeof *got) == 0); /* what was there before */
        }
}

/* All halves, and an odd count of them in the end. */
static void check_halves(enum hy_kernel_isa_level level, const struct function *function, int steps)
{
    enum { HALVES = 1 << 16 };
    static uint16_t in[HALVES], want[HALVES], got[HALVES];
    const struct hy_unary_params params = {
        .count = HALVES - 5, .alpha = 1, .activation = {.min = -1, .max = 6}};

    for (int i = 0; i < HALVES; i++)
        in[i] = (uint16_t)i;
    memset(got, 0x55, sizeof got);
    hy_kernels_reference()->unary[function->op][HY_ELEMENT_F16](&params, in, want);
    tested_kernels_at(level)->unary[function->op][HY_ELEMENT_F16](&params, in, got);
    for (int i = 0; i < HALVES - 5; i++) {
        const float a = hy_half_to_float(want[i]), b = hy_half_to_float(got[i]);
        if (isnan(a) ? !isnan(b) : abs((int)want[i] - (int)got[i]) > steps)
            hy_test_fail(__FILE__, __LINE__, "%s %s of half %#x is %a, the reference has %a",
                         hy_kernel_isa_level_name(level), function->name, (unsigned)i, (double)b,
                         (double)a);
    }
    for (int i = HALVES - 5; i < HALVES; i++)
        EXPECT_INT(got[i], 0x5555);
}

TEST(kernels_functions, of_halves_are_those_of_floats_narrowed)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        for (size_t f = 0; f < EXACT_FUNCTIONS && tested_kernels_at(level); f++)
            check_halves((enum hy_kernel_isa_level)level, &exact_functions[f], 0);
        for (size_t f = 0; f < FUNCTIONS && tested_kernels_at(level); f++)
            check_halves((enum hy_kernel_isa_level)level, &functions[f], 1);
    }
}

/* The argument of the exponential function is a float, whose error grows with it. */
TEST(kernels_functions, approximate_gelu_is_as_exact_as_its_argument)
{
    enum { COUNT = 1 << 14 };
    static float in[COUNT], out[COUNT];
    const struct hy_unary_params params = {.count = COUNT};

    for (int i = 0; i < COUNT; i++)
        in[i] = (float)(i - COUNT / 2) * 0x1p-9f;
    in[0] = -INFINITY, in[1] = INFINITY, in[2] = NAN;
    for (int level = HY_KERNEL_REFERENCE; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at(level);
        if (!table)
            continue;
        table->unary[HY_UNARY_GELU_TANH][HY_ELEMENT_F32](&params, in, out);
        EXPECT(out[0] == 0 && out[1] == INFINITY && isnan(out[2]));
        for (int i = 3; i < COUNT; i++) {
            const double x = (double)in[i], u = sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
            const double want = x / (1 + exp(-2 * u));
            const double most = fabs(want) * 0x1p-23 * (4 + 4 * fabs(u)) + 16 * (double)FLT_MIN;
            if (!(fabs((double)out[i] - want) <= most))
                hy_test_fail(__FILE__, __LINE__, "%s gelu_tanh(%a) is %a, expected %a",
                             hy_kernel_isa_level_name(level), x, (double)out[i], want);
        }
    }
}

TEST(kernels_functions, elu_scales_what_is_below_zero)
{
    const float in[] = {-1, -0.5f, 0, 3};
    const struct hy_unary_params params = {.count = 4, .alpha = 0.25f};

    for (int level = HY_KERNEL_REFERENCE; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at(level);
        float out[4];
        if (!table)
            continue;
        table->unary[HY_UNARY_ELU][HY_ELEMENT_F32](&params, in, out);
        EXPECT(fabs((double)out[0] - 0.25 * expm1(-1)) < 1e-7);
        EXPECT(fabs((double)out[1] - 0.25 * expm1(-0.5)) < 1e-7);
        EXPECT(out[2] == 0 && out[3] == 3);
    }
}
