#include <float.h>
#include <math.h>
#include <string.h>

#include "common/random.h"
#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

/* Operations on pairs of elements that NNAPI has not, or not in these types. */

enum { A_SLOT, B_SLOT, CONDITION_SLOT, WANT_SLOT, GOT_SLOT };
enum { RANK = 3 };

/* ---- Quantised numbers of 16 bits ------------------------------------------------------------ */

/* Two shapes that broadcast, and a sum, a difference or a product of them. */
struct short_case {
    enum hy_binary op;
    uint32_t a_dims[RANK], b_dims[RANK];
    float a_scale, b_scale, out_scale;
    struct hy_binary_params params;
    int16_t *a, *b;
    size_t count;
};

static size_t count_of(const uint32_t dims[RANK])
{
    return (size_t)dims[0] * dims[1] * dims[2];
}

static void choose_shorts(struct short_case *c, uint64_t seed)
{
    static const enum hy_binary ops[] = {HY_BINARY_ADD, HY_BINARY_SUB, HY_BINARY_MUL};
    struct hy_random r = {seed};
    const bool are_alike = hy_random_one_in(&r, 3);

    *c = (struct short_case){.op = ops[seed % 3]};
    for (int i = 0; i < RANK; i++) {
        c->a_dims[i] = c->b_dims[i] = (uint32_t)hy_random_between(&r, i ? 1 : 0, i == 2 ? 70 : 4);
        if (!are_alike && hy_random_one_in(&r, 3))
            *(hy_random_one_in(&r, 2) ? &c->a_dims[i] : &c->b_dims[i]) = 1;
    }
    c->a_scale = 0.0001f + fabsf(hy_random_real(&r, -0.01f, 0.01f));
    c->b_scale = 0.0001f + fabsf(hy_random_real(&r, -0.01f, 0.01f));
    c->out_scale = c->op == HY_BINARY_MUL ? c->a_scale * c->b_scale * 9000 : c->a_scale;
    hy_binary_set_scales(&c->params, c->op, HY_ELEMENT_S16, c->a_scale, c->b_scale, c->out_scale);
    c->params.activation =
        hy_activation_bounds(hy_random_between(&r, 0, 3), HY_ELEMENT_S16, c->out_scale, 0);
    REQUIRE(hy_broadcast_init(RANK, c->a_dims, RANK, c->b_dims, &c->params.shape));
    c->count = hy_broadcast_count(&c->params.shape);
    c->a = tensor_random(&r, A_SLOT, HY_ELEMENT_S16, count_of(c->a_dims));
    c->b = tensor_random(&r, B_SLOT, HY_ELEMENT_S16, count_of(c->b_dims));
}

static double real_result(const struct short_case *c, size_t a, size_t b)
{
    const double x = c->a[a] * (double)c->a_scale, y = c->b[b] * (double)c->b_scale;
    const double real = c->op == HY_BINARY_ADD ? x + y : c->op == HY_BINARY_SUB ? x - y : x * y;
    return fmin(fmax(real / (double)c->out_scale, c->params.activation.q_min),
                c->params.activation.q_max);
}

/* Two roundings below one, and one to it. */
TEST(kernels_pairs, quantised_shorts_are_the_formula)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct short_case c;
        choose_shorts(&c, seed);
        if (memcmp(c.a_dims, c.b_dims, sizeof c.a_dims) != 0)
            continue;
        int16_t *out = tensor_blank(WANT_SLOT, HY_ELEMENT_S16, c.count);
        hy_kernels_reference()->binary[c.op][HY_ELEMENT_S16](&c.params, c.a, c.b, out);
        for (size_t i = 0; i < c.count; i++) {
            if (fabs(out[i] - real_result(&c, i, i)) > 0.76)
                hy_test_fail(__FILE__, __LINE__, "seed %llu op %d: index %zu is %d, not near %.9g",
                             (unsigned long long)seed, (int)c.op, i, out[i], real_result(&c, i, i));
        }
    }
}

TEST(kernels_pairs, quantised_shorts_are_as_the_reference_at_every_level)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at((enum hy_kernel_isa_level)level);
        for (uint64_t seed = 0; table && seed < 1500; seed++) {
            struct short_case c;
            choose_shorts(&c, seed);
            void *want = tensor_blank(WANT_SLOT, HY_ELEMENT_S16, c.count);
            void *got = tensor_blank(GOT_SLOT, HY_ELEMENT_S16, c.count);
            hy_kernels_reference()->binary[c.op][HY_ELEMENT_S16](&c.params, c.a, c.b, want);
            table->binary[c.op][HY_ELEMENT_S16](&c.params, c.a, c.b, got);
            const size_t i = tensor_first_difference(HY_ELEMENT_S16, want, got, c.count);
            if (i < c.count)
                hy_test_fail(__FILE__, __LINE__,
                             "%s seed %llu op %d: index %zu is %.9g, the reference has %.9g",
                             hy_kernel_isa_level_name((enum hy_kernel_isa_level)level),
                             (unsigned long long)seed, (int)c.op, i,
                             tensor_at(HY_ELEMENT_S16, got, i), tensor_at(HY_ELEMENT_S16, want, i));
            EXPECT(guarded_front_is_intact(GOT_SLOT));
        }
    }
}

/* Of some b's the one whose real sum with `a` is nearest to the middle between two results: what
 * vectors compute quickly is in doubt there. */
static int16_t doubtful_b(struct hy_random *r, const float scales[3], enum hy_binary op, int16_t a)
{
    double nearest = 1;
    int16_t best = 0;

    for (int i = 0; i < 16; i++) {
        const int16_t b = (int16_t)hy_random_next(r);
        const double y = (double)scales[1] * (op == HY_BINARY_SUB ? -b : b);
        const double sum = (a * (double)scales[0] + y) / (double)scales[2];
        const double distance = fabs(sum - floor(sum) - 0.5);
        if (distance < nearest) {
            nearest = distance;
            best = b;
        }
    }
    return best;
}

static void check_sums(const float scales[3], enum hy_binary op)
{
    const uint32_t dims = 65536 + 7;
    struct hy_random r = {dims};
    struct hy_binary_params params = {0};
    int16_t *a = tensor_blank(A_SLOT, HY_ELEMENT_S16, dims);
    int16_t *b = tensor_blank(B_SLOT, HY_ELEMENT_S16, dims);
    int16_t *want = tensor_blank(WANT_SLOT, HY_ELEMENT_S16, dims);

    for (uint32_t i = 0; i < dims; i++) {
        a[i] = (int16_t)i;
        b[i] = i % 2 ? doubtful_b(&r, scales, op, a[i]) : (int16_t)hy_random_next(&r);
    }
    REQUIRE(hy_broadcast_init(1, &dims, 1, &dims, &params.shape));
    params.activation = hy_activation_bounds(0, HY_ELEMENT_S16, scales[2], 0);
    hy_binary_set_scales(&params, op, HY_ELEMENT_S16, scales[0], scales[1], scales[2]);
    hy_kernels_reference()->binary[op][HY_ELEMENT_S16](&params, a, b, want);
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at((enum hy_kernel_isa_level)level);
        int16_t *got = table ? tensor_blank(GOT_SLOT, HY_ELEMENT_S16, dims) : want;
        if (table)
            table->binary[op][HY_ELEMENT_S16](&params, a, b, got);
        const size_t i = tensor_first_difference(HY_ELEMENT_S16, want, got, dims);
        if (i < dims)
            hy_test_fail(
                __FILE__, __LINE__, "%s scales %.9g %.9g %.9g op %d: %d and %d give %d, not %d",
                hy_kernel_isa_level_name((enum hy_kernel_isa_level)level), (double)scales[0],
                (double)scales[1], (double)scales[2], (int)op, a[i], b[i], got[i], want[i]);
    }
}

/* Every a, with scales whose sums are exact halves, nearly so, or anything; that are coarse or fine
 * beside the output's, and so unlike that one side is far below the other. */
TEST(kernels_pairs, sums_of_shorts_in_doubt_are_as_the_reference_at_every_level)
{
    static const float scales[][3] = {
        {1, 1, 1},          {1, 1, 2},       {0.5f, 0.25f, 1},    {0.3f, 0.3f, 0.4f},
        {0.3f, 0.1f, 0.4f}, {0.3f, 0.7f, 1}, {0.01f, 1.7f, 1.3f}, {3e-5f, 3.1e-5f, 5.9e-5f},
        {1, 1, 3},          {1, 1, 0.03f},   {1, 0.9f, 1e-4f},    {0.02f, 0.03f, 7},
        {1e-7f, 1, 1},      {1, 1, 30000},   {1, 1, 100000},
    };

    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        check_sums(scales[i], HY_BINARY_ADD);
        check_sums(scales[i], HY_BINARY_SUB);
    }
}

/* ---- Angles ---------------------------------------------------------------------------------- */

static bool is_angle(float y, float x, float got)
{
    const double want = atan2((double)y, (double)x);

    if (isnan(want))
        return isnan(got);
    return fabs((double)got - want) <= 5e-7 * fabs(want) + (double)FLT_MIN &&
           !signbit(got) == !signbit(want);
}

TEST(kernels_pairs, angles_are_near_those_of_the_library_at_every_level)
{
    static const float special[] = {0, -0.0f, 1, -1, 3, -0.5f, FLT_MAX, INFINITY, -INFINITY, NAN};
    enum { SPECIAL = sizeof special / sizeof *special, PAIRED = SPECIAL * SPECIAL, COUNT = 5000 };
    const uint32_t dims = COUNT;
    struct hy_binary_params params = {0};
    struct hy_random r = {1};
    static float y[COUNT], x[COUNT], got[COUNT];

    for (int i = 0; i < COUNT; i++) {
        y[i] = i < PAIRED ? special[i / SPECIAL] : ldexpf(hy_random_real(&r, -1, 1), i % 40 - 20);
        x[i] = i < PAIRED ? special[i % SPECIAL] : hy_random_real(&r, -1, 1);
    }
    REQUIRE(hy_broadcast_init(1, &dims, 1, &dims, &params.shape));
    for (int level = HY_KERNEL_REFERENCE; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at((enum hy_kernel_isa_level)level);
        if (!table)
            continue;
        table->binary[HY_BINARY_ATAN2][HY_ELEMENT_F32](&params, y, x, got);
        for (int i = 0; i < COUNT; i++)
            if (!is_angle(y[i], x[i], got[i]))
                hy_test_fail(__FILE__, __LINE__, "%s: the angle of (%.9g, %.9g) is %.9g",
                             hy_kernel_isa_level_name((enum hy_kernel_isa_level)level),
                             (double)x[i], (double)y[i], (double)got[i]);
    }
}

/* ---- Remainders ------------------------------------------------------------------------------ */

static bool are_same(float a, float b)
{
    return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b);
}

TEST(kernels_pairs, remainders_are_as_the_reference_at_every_level)
{
    static const float special[] = {0,       -0.0f,    1,         -1,  3,         -0.75f,
                                    FLT_MAX, INFINITY, -INFINITY, NAN, 0x1p-120f, 16777215};
    enum { SPECIAL = sizeof special / sizeof *special, PAIRED = SPECIAL * SPECIAL, COUNT = 20000 };
    const uint32_t dims = COUNT;
    struct hy_binary_params params = {0};
    struct hy_random r = {7};
    static float a[COUNT], b[COUNT], want[COUNT], got[COUNT];

    for (int i = 0; i < COUNT; i++) {
        b[i] = i < PAIRED ? special[i / SPECIAL] : hy_random_real(&r, -1, 1);
        a[i] = i < PAIRED   ? special[i % SPECIAL]
               : i % 4 == 0 ? b[i] * (float)hy_random_between(&r, -100000, 100000)
                            : ldexpf(hy_random_real(&r, -1, 1), i % 60 - 20);
    }
    REQUIRE(hy_broadcast_init(1, &dims, 1, &dims, &params.shape));
    hy_kernels_reference()->binary[HY_BINARY_FLOOR_MOD][HY_ELEMENT_F32](&params, a, b, want);
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at((enum hy_kernel_isa_level)level);
        if (!table)
            continue;
        table->binary[HY_BINARY_FLOOR_MOD][HY_ELEMENT_F32](&params, a, b, got);
        for (int i = 0; i < COUNT; i++)
            if (!are_same(want[i], got[i]))
                hy_test_fail(__FILE__, __LINE__,
                             "%s: the remainder of %.9g by %.9g is %.9g, not %.9g",
                             hy_kernel_isa_level_name((enum hy_kernel_isa_level)level),
                             (double)a[i], (double)b[i], (double)got[i], (double)want[i]);
    }
}

/* ---- Selections ------------------------------------------------------------------------------ */

static void check_select(enum hy_kernel_isa_level level, enum hy_element_size size, size_t count,
                         int repeats)
{
    static const enum hy_element elements[] = {HY_ELEMENT_N8, HY_ELEMENT_N16, HY_ELEMENT_N32,
                                               HY_ELEMENT_N64};
    const enum hy_element element = elements[size];
    struct hy_random r = {count};
    const struct hy_select_params params = {.count = count,
                                            .condition_repeats = repeats & 1,
                                            .a_repeats = repeats & 2,
                                            .b_repeats = repeats & 4};
    const void *a = tensor_random(&r, A_SLOT, element, params.a_repeats ? 1 : count);
    const void *b = tensor_random(&r, B_SLOT, element, params.b_repeats ? 1 : count);
    const size_t conditions = params.condition_repeats ? 1 : count;
    uint8_t *condition = tensor_random(&r, CONDITION_SLOT, HY_ELEMENT_N8, conditions);
    void *want = tensor_blank(WANT_SLOT, element, count);
    void *got = tensor_blank(GOT_SLOT, element, count);

    for (size_t i = 0; i < conditions; i++)
        if (hy_random_one_in(&r, 2))
            condition[i] = 0;
    hy_kernels_reference()->select[size](&params, condition, a, b, want);
    tested_kernels_at(level)->select[size](&params, condition, a, b, got);
    if (memcmp(want, got, count * tensor_element_size(element)) != 0)
        hy_test_fail(__FILE__, __LINE__, "%s size %d repeats %d: %zu are not as the reference",
                     hy_kernel_isa_level_name(level), (int)size, repeats, count);
    EXPECT(guarded_front_is_intact(GOT_SLOT));
}

TEST(kernels_pairs, repeated_sides_are_selected_at_every_level)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (size_t count = 1; count < 140 && tested_kernels_at(level); count++)
            for (int i = 0; i < 8 * HY_ELEMENT_SIZE_COUNT; i++)
                check_select((enum hy_kernel_isa_level)level, (enum hy_element_size)(i / 8), count,
                             i % 8);
}

TEST(kernels_pairs, quotients_of_infinite_scales_stay_within_the_type)
{
    static const int8_t a[] = {0, 5, -5, 5}, b[] = {3, 3, 3, 0}, want[] = {-128, 127, -128, 127};
    const uint32_t count = 4;
    struct hy_binary_params params = {
        .activation = hy_activation_bounds(0, HY_ELEMENT_S8, 1, 9),
        .out_zero_point = 9,
    };
    int8_t out[4];

    REQUIRE(hy_broadcast_init(1, &count, 1, &count, &params.shape));
    hy_binary_set_scales(&params, HY_BINARY_TRUNCATE_DIV, HY_ELEMENT_S8, INFINITY, 1, 1);
    hy_kernels_reference()->binary[HY_BINARY_TRUNCATE_DIV][HY_ELEMENT_S8](&params, a, b, out);
    for (uint32_t i = 0; i < count; i++)
        EXPECT_INT(out[i], want[i]);
}

/* ---- Whole numbers --------------------------------------------------------------------------- */

static void expect_wholes(enum hy_binary op, const int8_t *a, const int8_t *b, const int8_t *want,
                          uint32_t count)
{
    struct hy_binary_params params = {0};
    int8_t out[16];

    REQUIRE(hy_broadcast_init(1, &count, 1, &count, &params.shape));
    hy_kernels_reference()->binary[op][HY_ELEMENT_I8](&params, a, b, out);
    for (uint32_t i = 0; i < count; i++)
        if (out[i] != want[i])
            hy_test_fail(__FILE__, __LINE__, "op %d of %d and %d is %d, not %d", (int)op, a[i],
                         b[i], out[i], want[i]);
}

TEST(kernels_pairs, quotients_and_remainders_of_whole_numbers_never_trap)
{
    static const int8_t a[] = {7, -7, 7, -7, -128, 5, 0, 6}, b[] = {2, 2, -2, -2, -1, 0, 0, 3};

    expect_wholes(HY_BINARY_TRUNCATE_DIV, a, b, (const int8_t[]){3, -3, -3, 3, -128, 0, 0, 2}, 8);
    expect_wholes(HY_BINARY_FLOOR_DIV, a, b, (const int8_t[]){3, -4, -4, 3, -128, 0, 0, 2}, 8);
    expect_wholes(HY_BINARY_TRUNCATE_MOD, a, b, (const int8_t[]){1, -1, 1, -1, 0, 5, 0, 0}, 8);
    expect_wholes(HY_BINARY_FLOOR_MOD, a, b, (const int8_t[]){1, 1, -1, -1, 0, 5, 0, 0}, 8);
}

TEST(kernels_pairs, shifts_of_any_amount_are_defined)
{
    static const int8_t a[] = {1, -128, -1, 3, 64, 64}, b[] = {7, 1, -1, 8, 127, -128};

    expect_wholes(HY_BINARY_LEFT_SHIFT, a, b, (const int8_t[]){-128, 0, 0, 0, 0, 0}, 6);
    expect_wholes(HY_BINARY_RIGHT_SHIFT, a, b, (const int8_t[]){0, -64, -1, 0, 0, 64}, 6);
}
