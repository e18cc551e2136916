#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { IN_SLOT, OUT_SLOT, WANT_SLOT };

struct reduce_case {
    uint64_t seed;
    enum hy_reduce op;
    enum hy_element element;
    uint32_t rank, dims[4], axes;
    const void *in;
};

static size_t count_in(const struct reduce_case *c, uint32_t axes)
{
    size_t count = 1;

    for (uint32_t i = 0; i < c->rank; i++)
        count *= axes >> i & 1 ? c->dims[i] : 1;
    return count;
}

/* The element with number `index` among those that differ in `axes` only, from `begin` on. */
static size_t element_at(const struct reduce_case *c, uint32_t axes, size_t index)
{
    size_t at = 0, stride = 1;

    for (uint32_t i = c->rank; i-- > 0; stride *= c->dims[i])
        if (axes >> i & 1) {
            at += index % c->dims[i] * stride;
            index /= c->dims[i];
        }
    return at;
}

static double step(enum hy_reduce op, double value, double x)
{
    switch (op) {
    case HY_REDUCE_ALL:
        return value != 0 && x != 0;
    case HY_REDUCE_ANY:
        return value != 0 || x != 0;
    case HY_REDUCE_MAX:
        return fmax(value, x);
    case HY_REDUCE_MIN:
        return fmin(value, x);
    case HY_REDUCE_PROD:
        return value * x;
    default:
        return value + x;
    }
}

static bool is_quantised(enum hy_element element)
{
    return element == HY_ELEMENT_U8 || element == HY_ELEMENT_S8 || element == HY_ELEMENT_S16;
}

static bool is_natural(enum hy_element element)
{
    return element == HY_ELEMENT_N8 || element == HY_ELEMENT_N16 || element == HY_ELEMENT_N32 ||
           element == HY_ELEMENT_N64;
}

static bool is_integer(enum hy_element element)
{
    return element == HY_ELEMENT_I32 || (element >= HY_ELEMENT_I8 && element <= HY_ELEMENT_N64);
}

static uint64_t integer_at(enum hy_element element, const void *values, size_t i)
{
    if (tensor_element_size(element) == 8)
        return ((const uint64_t *)values)[i];
    return (uint64_t)(int64_t)tensor_at(element, values, i);
}

/* Of an integer type, modulo 2^n. */
static double wrapped(enum hy_element element, uint64_t value)
{
    const unsigned unused = 64 - 8 * (unsigned)tensor_element_size(element);

    return is_natural(element) ? (double)(value << unused >> unused)
                               : (double)((int64_t)(value << unused) >> unused);
}

static double expected_integer(const struct reduce_case *c, size_t index)
{
    const size_t begin = element_at(c, ~c->axes, index), count = count_in(c, c->axes);
    uint64_t value = c->op == HY_REDUCE_PROD;

    for (size_t i = 0; i < count; i++) {
        const uint64_t x = integer_at(c->element, c->in, begin + element_at(c, c->axes, i));
        value = c->op == HY_REDUCE_PROD ? value * x : value + x;
    }
    /* A mean has elements. NOLINTBEGIN(clang-analyzer-core.DivideZero) */
    if (c->op == HY_REDUCE_MEAN)
        value =
            is_natural(c->element) ? value / count : (uint64_t)((int64_t)value / (int64_t)count);
    /* NOLINTEND(clang-analyzer-core.DivideZero) */
    return wrapped(c->element, value);
}

static double expected(const struct reduce_case *c, size_t index)
{
    uint32_t retained = ~c->axes;
    size_t begin = element_at(c, retained, index), count = count_in(c, c->axes);
    double value = tensor_at(c->element, c->in, begin);

    if (c->op == HY_REDUCE_ALL || c->op == HY_REDUCE_ANY)
        value = value != 0;
    for (size_t i = 1; i < count; i++)
        value = step(c->op, value, tensor_at(c->element, c->in, begin + element_at(c, c->axes, i)));
    if (c->op == HY_REDUCE_MEAN)
        value /= (double)count;
    if (c->op == HY_REDUCE_MEAN && is_quantised(c->element))
        value = trunc(value);
    return value;
}

static void check(uint64_t seed, enum hy_reduce op, enum hy_element element)
{
    struct hy_random r = {seed};
    struct reduce_case c = {.seed = seed, .op = op, .element = element};
    struct hy_reduce_params params;

    c.rank = (uint32_t)hy_random_between(&r, 1, 4);
    for (uint32_t i = 0; i < c.rank; i++)
        c.dims[i] = (uint32_t)hy_random_between(&r, 1, 5);
    c.axes = (uint32_t)hy_random_between(&r, 0, 15) & ((1u << c.rank) - 1);
    c.in = tensor_random(&r, IN_SLOT, element, count_in(&c, ~0u));
    size_t count = count_in(&c, ~c.axes);
    void *out = tensor_blank(OUT_SLOT, element, count);

    hy_reduce_set_walks(&params, c.rank, c.dims, c.axes);
    hy_kernels_reference()->reduce[op][element](&params, c.in, out);
    for (size_t i = 0; i < count; i++) {
        const bool is_selection = op == HY_REDUCE_MAX || op == HY_REDUCE_MIN;
        double want =
            is_integer(element) && !is_selection ? expected_integer(&c, i) : expected(&c, i);
        double got = tensor_at(element, out, i);
        double rounding = element == HY_ELEMENT_F32    ? 0x1p-24
                          : element == HY_ELEMENT_F16  ? 0x1p-11
                          : element == HY_ELEMENT_BF16 ? 0x1p-8
                                                       : 0;
        if (!(fabs(want - got) <= fabs(want) * rounding + rounding * 0x1p-14))
            hy_test_fail(__FILE__, __LINE__, "seed %llu op %d element %d: %zu is %g, expected %g",
                         (unsigned long long)seed, (int)op, (int)element, i, got, want);
    }
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_reduce, any_axes_of_any_type)
{
    for (uint64_t seed = 0; seed < 100; seed++)
        for (int op = 0; op < HY_REDUCE_MEAN_NEAREST; op++)
            for (int element = 0; element < HY_ELEMENT_COUNT; element++)
                if (hy_kernels_reference()->reduce[op][element] &&
                    (op < HY_REDUCE_PROD || op == HY_REDUCE_MEAN ||
                     !is_quantised((enum hy_element)element)))
                    check(seed, (enum hy_reduce)op, (enum hy_element)element);
}

TEST(kernels_reduce, products_with_zero_are_zero)
{
    const float in[] = {INFINITY, 0, 2};
    float out = 1;
    struct hy_reduce_params params;

    hy_reduce_set_walks(&params, 1, (uint32_t[]){3}, 1);
    hy_kernels_reference()->reduce[HY_REDUCE_PROD][HY_ELEMENT_F32](&params, in, &out);
    EXPECT(out == 0);
}

/* The real numbers are 1 and 6; 10 stands for 0. */
TEST(kernels_reduce, sums_and_products_of_bytes_are_rescaled)
{
    const int8_t in[] = {-3, 7};
    struct hy_reduce_params params = {
        .in_scale = 0.5f, .out_scale = 1, .zero_point = -5, .out_zero_point = 10};
    int8_t out = 0;

    hy_reduce_set_walks(&params, 1, (uint32_t[]){2}, 1);
    hy_kernels_reference()->reduce[HY_REDUCE_SUM][HY_ELEMENT_S8](&params, in, &out);
    EXPECT_INT(out, 17);
    hy_kernels_reference()->reduce[HY_REDUCE_PROD][HY_ELEMENT_S8](&params, in, &out);
    EXPECT_INT(out, 16);
}

TEST(kernels_reduce, more_than_two_loops_of_a_walk_are_refused)
{
    struct hy_reduce_params params;

    EXPECT(hy_reduce_set_walks(&params, 5, (uint32_t[]){2, 3, 1, 4, 5}, 5));
    EXPECT(!hy_reduce_set_walks(&params, 5, (uint32_t[]){2, 3, 4, 5, 6}, 21));
}

TEST(kernels_reduce, byte_means_are_cut_towards_zero)
{
    const int8_t in[] = {-3, -2};
    int8_t out = 1;
    struct hy_reduce_params params;

    hy_reduce_set_walks(&params, 1, (uint32_t[]){2}, 1);
    hy_kernels_reference()->reduce[HY_REDUCE_MEAN][HY_ELEMENT_S8](&params, in, &out);
    EXPECT_INT(out, -2);
}

/* Where the last dimension is reduced, the order of a sum in double, rounded once, is free. */
static bool is_close(const struct reduce_case *c, const struct hy_reduce_params *params, float want,
                     float got)
{
    const bool is_sum = c->op == HY_REDUCE_SUM || c->op == HY_REDUCE_MEAN;

    if (isnan(want))
        return isnan(got);
    if (!is_sum || params->retained.strides[1] == 1)
        return want == got;
    return fabsf(want - got) <= fabsf(want) * 0x1p-23f + 1e-12f;
}

static void set_values(struct hy_random *r, const struct reduce_case *c, float *in)
{
    const bool is_sum = c->op == HY_REDUCE_SUM || c->op == HY_REDUCE_MEAN;

    for (size_t i = 0; i < count_in(c, ~0u) && !is_sum; i++)
        if (hy_random_one_in(r, 5))
            in[i] = hy_random_one_in(r, 4) ? INFINITY : hy_random_one_in(r, 3) ? -INFINITY : NAN;
}

static void compare(enum hy_kernel_isa_level level, uint64_t seed, enum hy_reduce op)
{
    struct hy_random r = {seed};
    struct reduce_case c = {.seed = seed, .op = op, .element = HY_ELEMENT_F32};
    struct hy_reduce_params params;

    c.rank = (uint32_t)hy_random_between(&r, 1, 4);
    for (uint32_t i = 0; i < c.rank; i++)
        c.dims[i] = (uint32_t)hy_random_between(&r, 1, i + 1 < c.rank ? 5 : 150);
    c.axes = (uint32_t)hy_random_between(&r, 0, 15) & ((1u << c.rank) - 1);
    float *in = tensor_random(&r, IN_SLOT, c.element, count_in(&c, ~0u));
    set_values(&r, &c, in);
    const size_t count = count_in(&c, ~c.axes);
    float *want = tensor_blank(WANT_SLOT, c.element, count);
    float *got = tensor_blank(OUT_SLOT, c.element, count);

    hy_reduce_set_walks(&params, c.rank, c.dims, c.axes);
    hy_kernels_reference()->reduce[op][c.element](&params, in, want);
    tested_kernels_at(level)->reduce[op][c.element](&params, in, got);
    for (size_t i = 0; i < count; i++)
        if (!is_close(&c, &params, want[i], got[i]))
            hy_test_fail(__FILE__, __LINE__,
                         "%s seed %llu op %d: %zu is %.9g, the reference has "
                         "%.9g",
                         hy_kernel_isa_level_name(level), (unsigned long long)seed, (int)op, i,
                         (double)got[i], (double)want[i]);
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_reduce, every_level_is_as_the_reference)
{
    static const enum hy_reduce ops[] = {HY_REDUCE_MAX, HY_REDUCE_MIN, HY_REDUCE_SUM,
                                         HY_REDUCE_MEAN};

    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 1000 && tested_kernels_at(level); seed++)
            compare((enum hy_kernel_isa_level)level, seed, ops[seed % 4]);
}

/* Lines that are summed side by side have the bits of those summed alone. */
static void check_lines(enum hy_kernel_isa_level level, enum hy_reduce op, uint32_t lines,
                        uint32_t length)
{
    hy_reduce_fn *kernel = tested_kernels_at(level)->reduce[op][HY_ELEMENT_F32];
    struct hy_random r = {lines + length};
    struct hy_reduce_params all, one;
    float *in = tensor_random(&r, IN_SLOT, HY_ELEMENT_F32, (size_t)lines * length);
    float *out = tensor_blank(OUT_SLOT, HY_ELEMENT_F32, lines);

    hy_reduce_set_walks(&all, 2, (uint32_t[]){lines, length}, 2);
    hy_reduce_set_walks(&one, 2, (uint32_t[]){1, length}, 2);
    kernel(&all, in, out);
    for (uint32_t i = 0; i < lines; i++) {
        float alone;
        kernel(&one, in + (size_t)i * length, &alone);
        EXPECT(memcmp(&alone, &out[i], sizeof alone) == 0);
    }
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_reduce, lines_have_the_same_bits_beside_others_as_alone)
{
    static const uint32_t lengths[] = {2, 7, 16, 32, 45, 100};

    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (size_t i = 0; i < 6 && tested_kernels_at(level); i++)
            for (uint32_t lines = 1; lines < 50; lines++) {
                check_lines((enum hy_kernel_isa_level)level, HY_REDUCE_MEAN, lines, lengths[i]);
                check_lines((enum hy_kernel_isa_level)level, HY_REDUCE_SUM, lines, lengths[i]);
            }
}

/* Rows of all lengths, and more of them than 16 bits can add up bytes of. */
static void choose_byte_shape(struct hy_random *r, struct reduce_case *c)
{
    c->rank = (uint32_t)hy_random_between(r, 1, 4);
    for (uint32_t i = 0; i < c->rank; i++)
        c->dims[i] = (uint32_t)hy_random_between(r, 1, i + 1 < c->rank ? 4 : 200);
    if (hy_random_one_in(r, 3) && c->rank > 1)
        c->dims[hy_random_between(r, 0, (int32_t)c->rank - 2)] =
            (uint32_t)hy_random_between(r, 120, 300);
    c->axes = (uint32_t)hy_random_between(r, 0, 15) & ((1u << c->rank) - 1);
}

static void set_mean(struct hy_random *r, enum hy_element element, struct hy_reduce_params *params)
{
    const double count = (double)(params->reduced.dims[0] * params->reduced.dims[1]);

    params->scale_ratio = hy_random_one_in(r, 2) ? 1 : 0.5f + fabsf(hy_random_real(r, -1, 1));
    params->zero_point = hy_random_between(r, tensor_min(element), tensor_max(element));
    params->out_zero_point = hy_random_between(r, tensor_min(element), tensor_max(element));
    params->multiplier =
        hy_multiplier_from_double(element == HY_ELEMENT_U8 ? (double)params->scale_ratio / count
                                                           : (double)params->scale_ratio);
    params->bias = params->out_zero_point - params->zero_point;
}

static void compare_bytes(enum hy_kernel_isa_level level, uint64_t seed, enum hy_reduce op,
                          enum hy_element element)
{
    struct hy_random r = {seed};
    struct reduce_case c = {.seed = seed, .op = op, .element = element};
    struct hy_reduce_params params;

    choose_byte_shape(&r, &c);
    uint8_t *in = tensor_random(&r, IN_SLOT, HY_ELEMENT_U8, count_in(&c, ~0u));
    const size_t count = count_in(&c, ~c.axes);
    uint8_t *want = tensor_blank(WANT_SLOT, element, count);
    uint8_t *got = tensor_blank(OUT_SLOT, element, count);

    if (element == HY_ELEMENT_BOOL || hy_random_one_in(&r, 3)) /* all at one end, or false */
        for (size_t i = 0; i < count_in(&c, ~0u); i++)
            in[i] = op == HY_REDUCE_ANY || op == HY_REDUCE_MAX ? in[i] > 254 : in[i] < 1 ? 0 : 255;
    hy_reduce_set_walks(&params, c.rank, c.dims, c.axes);
    set_mean(&r, element, &params);
    hy_kernels_reference()->reduce[op][element](&params, in, want);
    tested_kernels_at(level)->reduce[op][element](&params, in, got);
    for (size_t i = 0; i < count; i++)
        if (want[i] != got[i])
            hy_test_fail(__FILE__, __LINE__,
                         "%s seed %llu op %d element %d: byte %zu is %d, the reference has %d",
                         hy_kernel_isa_level_name(level), (unsigned long long)seed, (int)op,
                         (int)element, i, got[i], want[i]);
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_reduce, bytes_at_every_level_are_those_of_the_reference)
{
    static const enum hy_reduce ops[] = {HY_REDUCE_MAX, HY_REDUCE_MIN, HY_REDUCE_MEAN,
                                         HY_REDUCE_MEAN_NEAREST, HY_REDUCE_MEAN_RESCALED};

    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 1500 && tested_kernels_at(level); seed++) {
            const enum hy_element element = seed % 2 ? HY_ELEMENT_U8 : HY_ELEMENT_S8;
            compare_bytes((enum hy_kernel_isa_level)level, seed, ops[seed / 2 % 5], element);
        }
}

TEST(kernels_reduce, bools_at_every_level_are_those_of_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 400 && tested_kernels_at(level); seed++)
            compare_bytes((enum hy_kernel_isa_level)level, seed,
                          seed % 2 ? HY_REDUCE_ALL : HY_REDUCE_ANY, HY_ELEMENT_BOOL);
}

static void compare_shorts(enum hy_kernel_isa_level level, uint64_t seed)
{
    struct hy_random r = {seed};
    struct reduce_case c = {.seed = seed, .element = HY_ELEMENT_S16};
    struct hy_reduce_params params = {0};

    choose_byte_shape(&r, &c);
    const int16_t *in = tensor_random(&r, IN_SLOT, HY_ELEMENT_S16, count_in(&c, ~0u));
    const size_t count = count_in(&c, ~c.axes);
    int16_t *want = tensor_blank(WANT_SLOT, HY_ELEMENT_S16, count);
    int16_t *got = tensor_blank(OUT_SLOT, HY_ELEMENT_S16, count);

    hy_reduce_set_walks(&params, c.rank, c.dims, c.axes);
    params.in_scale = 1;
    params.out_scale = 0.5f + fabsf(hy_random_real(&r, -1, 1));
    hy_kernels_reference()->reduce[HY_REDUCE_MEAN_RESCALED][HY_ELEMENT_S16](&params, in, want);
    tested_kernels_at(level)->reduce[HY_REDUCE_MEAN_RESCALED][HY_ELEMENT_S16](&params, in, got);
    for (size_t i = 0; i < count; i++)
        if (want[i] != got[i])
            hy_test_fail(__FILE__, __LINE__, "%s seed %llu: mean %zu is %d, the reference has %d",
                         hy_kernel_isa_level_name(level), (unsigned long long)seed, i, got[i],
                         want[i]);
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_reduce, means_of_shorts_at_every_level_are_those_of_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 400 && tested_kernels_at(level); seed++)
            compare_shorts((enum hy_kernel_isa_level)level, seed);
}

/* More than 32 bits can add up. */
TEST(kernels_reduce, means_of_many_shorts_are_exact)
{
    enum { ROWS = 70001, COLUMNS = 5 };
    int16_t *in = malloc(ROWS * COLUMNS * sizeof *in), out[COLUMNS];
    struct hy_reduce_params params = {.in_scale = 1, .out_scale = 1};

    REQUIRE(in);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        in[i] = i % COLUMNS == 2 ? INT16_MAX : INT16_MIN;
    hy_reduce_set_walks(&params, 2, (uint32_t[]){ROWS, COLUMNS}, 1);
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        if (tested_kernels_at(level)) {
            tested_kernels_at(level)->reduce[HY_REDUCE_MEAN_RESCALED][HY_ELEMENT_S16](&params, in,
                                                                                      out);
            for (int c = 0; c < COLUMNS; c++)
                EXPECT_INT(out[c], c == 2 ? INT16_MAX : INT16_MIN);
        }
    free(in);
}

/* Sums beyond 32 bits would show in their mean. */
TEST(kernels_reduce, means_of_many_bytes_do_not_overflow)
{
    enum { COUNT = 18 << 20 };
    uint8_t *in = malloc(COUNT), out = 0;
    struct hy_reduce_params params;

    REQUIRE(in);
    memset(in, 255, COUNT);
    hy_reduce_set_walks(&params, 1, (uint32_t[]){COUNT}, 1);
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        if (tested_kernels_at(level)) {
            out = 0;
            tested_kernels_at(level)->reduce[HY_REDUCE_MEAN][HY_ELEMENT_U8](&params, in, &out);
            EXPECT_INT(out, 255);
        }
    free(in);
}
