#include <float.h>
#include <math.h>
#include <string.h>

#include "common/random.h"
#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { A_SLOT, B_SLOT, WANT_SLOT, GOT_SLOT };
enum { RANK = 4 };

static const enum hy_binary ops[] = {HY_BINARY_ADD,
                                     HY_BINARY_SUB,
                                     HY_BINARY_MUL,
                                     HY_BINARY_PRELU,
                                     HY_BINARY_SQUARED_DIFFERENCE,
                                     HY_BINARY_DIV,
                                     HY_BINARY_MAXIMUM,
                                     HY_BINARY_MINIMUM};
enum { SUMS_AND_PRODUCTS = 3, BYTE_OPS = 5, OPS = 8 }; /* the first of them */

/* Two shapes that broadcast, and an operation on them. */
struct binary_case {
    uint64_t seed;
    enum hy_binary op;
    enum hy_element element;
    uint32_t a_dims[RANK], b_dims[RANK], dims[RANK];
    float a_scale, b_scale, out_scale;
    struct hy_binary_params params;
    struct hy_sum_form form;
    void *a, *b;
    size_t count;
};

static size_t count_of(const uint32_t *dims)
{
    return (size_t)dims[0] * dims[1] * dims[2] * dims[3];
}

static void choose_shape(struct hy_random *r, struct binary_case *c)
{
    int alike = hy_random_one_in(r, 3);

    for (int i = 0; i < RANK; i++) {
        const int most = i < 3 ? 4 : hy_random_one_in(r, 3) ? 200 : 37;
        uint32_t size = (uint32_t)hy_random_between(r, hy_random_one_in(r, 15) ? 0 : 1, most);
        c->a_dims[i] = c->b_dims[i] = c->dims[i] = size;
        if (!alike && hy_random_one_in(r, 3))
            *(hy_random_one_in(r, 2) ? &c->a_dims[i] : &c->b_dims[i]) = 1;
    }
    for (int i = 0; i < RANK; i++)
        c->dims[i] = c->a_dims[i] == 1 ? c->b_dims[i] : c->a_dims[i];
    c->count = count_of(c->dims);
}

static void choose_quantisation(struct hy_random *r, struct binary_case *c)
{
    struct hy_binary_params *p = &c->params;
    int low = tensor_min(c->element), high = tensor_max(c->element);

    c->a_scale = 0.01f + fabsf(hy_random_real(r, -1, 1));
    c->b_scale = 0.01f + fabsf(hy_random_real(r, -1, 1));
    c->out_scale = 0.01f + 2 * fabsf(hy_random_real(r, -1, 1));
    if (c->op == HY_BINARY_MUL) /* above the product of both */
        c->out_scale += c->a_scale * c->b_scale;
    p->a_zero_point = hy_random_between(r, low, high);
    p->b_zero_point = hy_random_between(r, low, high);
    p->out_zero_point = hy_random_between(r, low, high);
    hy_binary_set_scales(p, c->op, c->element, c->a_scale, c->b_scale, c->out_scale);
    p->activation = hy_activation_bounds(hy_random_between(r, 0, 3), c->element, c->out_scale,
                                         p->out_zero_point);
}

/* Lets the kernels use the linear form of a quantised sum, if it has one. */
static bool use_form(struct binary_case *c)
{
    const bool is_signed = c->element == HY_ELEMENT_S8;
    const bool is_sum = c->op == HY_BINARY_ADD || c->op == HY_BINARY_SUB;

    if (!is_sum || (!is_signed && c->element != HY_ELEMENT_U8) ||
        !hy_sum_form_find(&c->params, c->op, is_signed, SIZE_MAX, &c->form))
        return false;
    c->params.form = &c->form;
    return true;
}

/* One of the first `number` operations. */
static void init(struct binary_case *c, uint64_t seed, int number, enum hy_element element)
{
    struct hy_random r = {seed * 8 + element};

    *c = (struct binary_case){
        .seed = seed, .op = ops[seed / 7 % (uint64_t)number], .element = element};
    choose_shape(&r, c);
    choose_quantisation(&r, c);
    EXPECT(hy_broadcast_init(RANK, c->a_dims, RANK, c->b_dims, &c->params.shape));
    EXPECT_INT(hy_broadcast_count(&c->params.shape), c->count);
    c->a = tensor_random(&r, A_SLOT, element, count_of(c->a_dims));
    c->b = tensor_random(&r, B_SLOT, element, count_of(c->b_dims));
}

/* The element of one side that meets output element `index`. */
static size_t operand_index(const struct binary_case *c, const uint32_t *dims, size_t index)
{
    size_t result = 0, step = 1;

    for (int i = RANK - 1; i >= 0; i--) {
        size_t at = index % c->dims[i];
        result += dims[i] == 1 ? 0 : at * step;
        step *= dims[i];
        index /= c->dims[i];
    }
    return result;
}

static double compute(enum hy_binary op, double a, double b)
{
    return op == HY_BINARY_ADD ? a + b : op == HY_BINARY_SUB ? a - b : a * b;
}

/* In real numbers; the roundings of the quantised form stay within one step of it. */
static double expected(const struct binary_case *c, size_t i)
{
    const struct hy_binary_params *p = &c->params;
    double a = tensor_at(c->element, c->a, operand_index(c, c->a_dims, i));
    double b = tensor_at(c->element, c->b, operand_index(c, c->b_dims, i));

    if (c->element == HY_ELEMENT_I32)
        return compute(c->op, a, b);
    if (c->element <= HY_ELEMENT_F16)
        return fmin(fmax(compute(c->op, a, b), (double)p->activation.min),
                    (double)p->activation.max);
    double real = compute(c->op, (a - p->a_zero_point) * (double)c->a_scale,
                          (b - p->b_zero_point) * (double)c->b_scale);
    double steps = real / (double)c->out_scale + p->out_zero_point;
    return fmin(fmax(steps, p->activation.q_min), p->activation.q_max);
}

/* A quantised product is rounded to a half or less, then to one. */
static double tolerance(const struct binary_case *c)
{
    return c->element == HY_ELEMENT_F32   ? 1e-6
           : c->element == HY_ELEMENT_F16 ? 0x1p-10
           : c->element == HY_ELEMENT_I32 ? 0
           : c->op == HY_BINARY_MUL       ? 0.76
                                          : 0.51;
}

static void expect_near(const struct binary_case *c, const void *out, size_t i)
{
    double want = expected(c, i), got = tensor_at(c->element, out, i);

    if (fabs(want - got) > tolerance(c))
        hy_test_fail(__FILE__, __LINE__,
                     "seed %llu op %d element %d: index %zu is %.9g, expected %.9g",
                     (unsigned long long)c->seed, (int)c->op, (int)c->element, i, got, want);
}

TEST(kernels_binary, reference_is_the_formula)
{
    static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_F16, HY_ELEMENT_I32,
                                               HY_ELEMENT_U8, HY_ELEMENT_S8};

    for (int seed = 0; seed < 500; seed++) {
        struct binary_case c;
        init(&c, (uint64_t)seed, SUMS_AND_PRODUCTS, elements[seed % 5]);
        void *out = tensor_blank(WANT_SLOT, c.element, c.count);
        hy_kernels_reference()->binary[c.op][c.element](&c.params, c.a, c.b, out);
        for (size_t i = 0; i < c.count; i++)
            expect_near(&c, out, i);
        EXPECT(guarded_front_is_intact(WANT_SLOT));
    }
}

static void check_level(enum hy_kernel_isa_level level)
{
    static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_U8, HY_ELEMENT_S8};
    const struct hy_kernel_table *table = tested_kernels_at(level);

    for (int seed = 0; table && seed < 3000; seed++) {
        struct binary_case c;
        const enum hy_element element = elements[seed % 3];
        init(&c, 500 + (uint64_t)seed, element == HY_ELEMENT_F32 ? OPS : BYTE_OPS, element);
        if (seed % 4)
            use_form(&c);
        void *want = tensor_blank(WANT_SLOT, c.element, c.count);
        void *got = tensor_blank(GOT_SLOT, c.element, c.count);
        hy_kernels_reference()->binary[c.op][c.element](&c.params, c.a, c.b, want);
        table->binary[c.op][c.element](&c.params, c.a, c.b, got);

        size_t i = tensor_first_difference(c.element, want, got, c.count);
        if (i < c.count)
            hy_test_fail(__FILE__, __LINE__,
                         "%s seed %d op %d element %d: index %zu is %.9g, the reference has %.9g",
                         hy_kernel_isa_level_name(level), seed, (int)c.op, (int)c.element, i,
                         tensor_at(c.element, got, i), tensor_at(c.element, want, i));
        EXPECT(guarded_front_is_intact(GOT_SLOT));
    }
}

TEST(kernels_binary, every_level_is_as_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        check_level((enum hy_kernel_isa_level)level);
}

static const enum hy_binary whole_ops[] = {HY_BINARY_ADD, HY_BINARY_SUB,     HY_BINARY_MUL,
                                           HY_BINARY_DIV, HY_BINARY_MAXIMUM, HY_BINARY_MINIMUM};
static const enum hy_binary comparisons[] = {HY_BINARY_EQUAL,   HY_BINARY_NOT_EQUAL,
                                             HY_BINARY_LESS,    HY_BINARY_LESS_EQUAL,
                                             HY_BINARY_GREATER, HY_BINARY_GREATER_EQUAL};

/* Operations that have vector code in one of the other types, on shapes that broadcast. */
static void check_other_types(enum hy_kernel_isa_level level, uint64_t seed)
{
    static const enum hy_element elements[] = {HY_ELEMENT_F16, HY_ELEMENT_I32, HY_ELEMENT_F32,
                                               HY_ELEMENT_F16, HY_ELEMENT_I32};
    const bool compares = seed % 5 >= 2;
    enum hy_element out = elements[seed % 5];
    struct binary_case c;

    init(&c, seed, OPS, out);
    if (out == HY_ELEMENT_I32)
        c.op = whole_ops[seed / 5 % 6];
    if (compares) {
        c.op = comparisons[seed / 5 % 6];
        out = HY_ELEMENT_BOOL;
    }
    void *want = tensor_blank(WANT_SLOT, out, c.count), *got = tensor_blank(GOT_SLOT, out, c.count);
    hy_kernels_reference()->binary[c.op][c.element](&c.params, c.a, c.b, want);
    tested_kernels_at(level)->binary[c.op][c.element](&c.params, c.a, c.b, got);
    const size_t i = tensor_first_difference(out, want, got, c.count);
    if (i < c.count)
        hy_test_fail(__FILE__, __LINE__,
                     "%s seed %d op %d element %d: index %zu is %.9g, the reference has %.9g",
                     hy_kernel_isa_level_name(level), (int)seed, (int)c.op, (int)c.element, i,
                     tensor_at(out, got, i), tensor_at(out, want, i));
    EXPECT(guarded_front_is_intact(GOT_SLOT));
}

TEST(kernels_binary, halves_whole_numbers_and_comparisons_are_as_the_reference_at_every_level)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 3000 && tested_kernels_at(level); seed++)
            check_other_types((enum hy_kernel_isa_level)level, seed);
}

/* All pairs of numbers around those where something changes, and as many of any size. */
static void check_whole_numbers(enum hy_kernel_isa_level level, enum hy_binary op, bool compares)
{
    static const int32_t values[] = {0,         1,
                                     -1,        2,
                                     -2,        3,
                                     -3,        7,
                                     -7,        65535,
                                     65536,     -65536,
                                     0x1000001, -46341,
                                     INT32_MAX, INT32_MAX - 1,
                                     INT32_MIN, INT32_MIN + 1,
                                     1 << 30,   -(1 << 30)};
    enum { VALUES = sizeof values / sizeof *values, PAIRED = VALUES * VALUES, COUNT = 2 * PAIRED };
    const enum hy_element out = compares ? HY_ELEMENT_BOOL : HY_ELEMENT_I32;
    const uint32_t dims = COUNT;
    struct hy_binary_params params = {0};
    struct hy_random r = {(uint64_t)op};
    int32_t a[COUNT], b[COUNT], want[COUNT], got[COUNT];

    for (int i = 0; i < COUNT; i++) {
        a[i] = i < PAIRED ? values[i / VALUES] : (int32_t)hy_random_next(&r);
        b[i] = i < PAIRED ? values[i % VALUES] : (int32_t)hy_random_next(&r) >> (i % 32);
    }
    REQUIRE(hy_broadcast_init(1, &dims, 1, &dims, &params.shape));
    hy_kernels_reference()->binary[op][HY_ELEMENT_I32](&params, a, b, want);
    tested_kernels_at(level)->binary[op][HY_ELEMENT_I32](&params, a, b, got);
    const size_t i = tensor_first_difference(out, want, got, COUNT);
    if (i < COUNT)
        hy_test_fail(__FILE__, __LINE__, "%s op %d of %d and %d is %.9g, the reference has %.9g",
                     hy_kernel_isa_level_name(level), (int)op, a[i], b[i], tensor_at(out, got, i),
                     tensor_at(out, want, i));
}

TEST(kernels_binary, whole_numbers_of_every_size_are_as_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (int i = 0; i < 6 && tested_kernels_at(level); i++) {
            check_whole_numbers((enum hy_kernel_isa_level)level, whole_ops[i], false);
            check_whole_numbers((enum hy_kernel_isa_level)level, comparisons[i], true);
        }
}

/* Comparisons with all pairs of numbers that are special. */
TEST(kernels_binary, comparisons_of_special_numbers_are_as_the_reference)
{
    static const float values[] = {0, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, 1e-40f};
    enum { VALUES = sizeof values / sizeof *values, COUNT = VALUES * VALUES };
    struct hy_binary_params params = {0};
    const uint32_t dims = COUNT;
    float a[COUNT], b[COUNT];
    uint8_t want[COUNT], got[COUNT];

    for (int i = 0; i < COUNT; i++) {
        a[i] = values[i / VALUES];
        b[i] = values[i % VALUES];
    }
    REQUIRE(hy_broadcast_init(1, &dims, 1, &dims, &params.shape));
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (int op = HY_BINARY_EQUAL; op <= HY_BINARY_GREATER_EQUAL; op++) {
            const struct hy_kernel_table *table = tested_kernels_at(level);
            if (!table)
                continue;
            hy_kernels_reference()->binary[op][HY_ELEMENT_F32](&params, a, b, want);
            table->binary[op][HY_ELEMENT_F32](&params, a, b, got);
            EXPECT(memcmp(want, got, COUNT) == 0);
        }
}

/* A power by pow() of the C library in double, and what it says of special numbers. */
static bool is_power(float a, float b, float got)
{
    const double want = pow((double)a, (double)b);
    int exponent;

    if (isnan(want))
        return isnan(got);
    if (fabs(want) > (double)FLT_MAX)
        return got == (float)want || fabs((double)got) == (double)FLT_MAX;
    if (fabs(want) < (double)FLT_MIN)
        return fabs((double)got) <= (double)FLT_MIN;
    frexp(want, &exponent);
    return fabs((double)got - want) <= ldexp(1, exponent - 24);
}

TEST(kernels_binary, powers_are_within_an_ulp_at_every_level)
{
    static const float values[] = {0,        -0.0f,     1,   -1,   2,     -2,     0.5f,
                                   INFINITY, -INFINITY, NAN, 3.5f, 1e30f, 1e-30f, 127};
    enum { VALUES = sizeof values / sizeof *values, COUNT = 10000 + VALUES * VALUES };
    static float a[COUNT], b[COUNT], got[COUNT];
    struct hy_binary_params params = {0};
    const uint32_t dims = COUNT;
    struct hy_random r = {5};

    for (int i = 0; i < COUNT; i++) {
        a[i] = i < VALUES * VALUES ? values[i / VALUES] : exp2f(10 * hy_random_real(&r, -1, 1));
        b[i] = i < VALUES * VALUES ? values[i % VALUES] : 12 * hy_random_real(&r, -1, 1);
    }
    REQUIRE(hy_broadcast_init(1, &dims, 1, &dims, &params.shape));
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at(level);
        if (!table)
            continue;
        table->binary[HY_BINARY_POW][HY_ELEMENT_F32](&params, a, b, got);
        for (int i = 0; i < COUNT; i++)
            if (!is_power(a[i], b[i], got[i]))
                hy_test_fail(__FILE__, __LINE__, "%s: %a to the power of %a is %a",
                             hy_kernel_isa_level_name((enum hy_kernel_isa_level)level),
                             (double)a[i], (double)b[i], (double)got[i]);
    }
}

/* Zeros of both signs, infinities and NaN against each other: the same bits, or a NaN. */
static void check_special(enum hy_kernel_isa_level level, enum hy_binary op)
{
    static const float values[] = {0, -0.0f, 1, -1, 3, -0.5f, INFINITY, -INFINITY, NAN};
    enum { VALUES = sizeof values / sizeof *values, COUNT = VALUES * VALUES };
    const struct hy_kernel_table *table = tested_kernels_at(level);
    struct hy_binary_params params = {.activation = hy_activation_bounds(0, HY_ELEMENT_F32, 0, 0)};
    const uint32_t dims = COUNT;
    float a[COUNT], b[COUNT], want[COUNT], got[COUNT];

    for (int i = 0; i < COUNT; i++) {
        a[i] = values[i / VALUES];
        b[i] = values[i % VALUES];
    }
    REQUIRE(hy_broadcast_init(1, &dims, 1, &dims, &params.shape));
    hy_kernels_reference()->binary[op][HY_ELEMENT_F32](&params, a, b, want);
    table->binary[op][HY_ELEMENT_F32](&params, a, b, got);
    for (int i = 0; i < COUNT; i++)
        if (isnan(want[i]) ? !isnan(got[i]) : memcmp(&want[i], &got[i], sizeof *got) != 0)
            hy_test_fail(__FILE__, __LINE__, "%s op %d of %g and %g is %g, the reference has %g",
                         hy_kernel_isa_level_name(level), (int)op, (double)a[i], (double)b[i],
                         (double)got[i], (double)want[i]);
}

TEST(kernels_binary, zeros_infinities_and_nan_are_as_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (int op = 0; op < OPS && tested_kernels_at(level); op++)
            check_special((enum hy_kernel_isa_level)level, ops[op]);
}

/* All pairs of bytes in one row: fast kernels may go other ways where rows are long. */
enum { BYTES = 256, PAIRS = BYTES * BYTES };

static void set_all_pairs(struct binary_case *c, uint32_t *dims)
{
    uint8_t *a = tensor_blank(A_SLOT, c->element, PAIRS);
    uint8_t *b = tensor_blank(B_SLOT, c->element, PAIRS);

    for (size_t i = 0; i < PAIRS; i++) {
        a[i] = (uint8_t)(i % BYTES);
        b[i] = (uint8_t)(i / BYTES + i); /* not constant over a vector */
    }
    c->a = a;
    c->b = b;
    c->count = PAIRS;
    EXPECT(hy_broadcast_init(1, dims, 1, dims, &c->params.shape));
}

/* Scales at random, in a power of two to each other (all sums are halves or whole), or far apart.
 */
static void choose_pair_scales(struct hy_random *r, struct binary_case *c, int kind)
{
    choose_quantisation(r, c);
    if (kind == 0)
        return;
    c->a_scale = kind == 1 ? 0.5f : 1;
    c->b_scale = kind == 1 ? 0.5f : ldexpf(1, hy_random_between(r, -20, 20));
    c->out_scale = ldexpf(1, hy_random_between(r, -3, kind == 1 ? 3 : 20));
    hy_binary_set_scales(&c->params, c->op, c->element, c->a_scale, c->b_scale, c->out_scale);
}

static void expect_all_pairs(enum hy_kernel_isa_level level, const struct binary_case *c, int seed)
{
    const struct hy_kernel_table *table = tested_kernels_at(level);
    void *want = tensor_blank(WANT_SLOT, c->element, c->count);
    void *got = tensor_blank(GOT_SLOT, c->element, c->count);

    hy_kernels_reference()->binary[c->op][c->element](&c->params, c->a, c->b, want);
    table->binary[c->op][c->element](&c->params, c->a, c->b, got);
    size_t i = tensor_first_difference(c->element, want, got, c->count);
    if (i < c->count)
        hy_test_fail(__FILE__, __LINE__,
                     "%s seed %d op %d element %d scales %.9g %.9g %.9g: index %zu is %.9g, the "
                     "reference has %.9g",
                     hy_kernel_isa_level_name(level), seed, (int)c->op, (int)c->element,
                     (double)c->a_scale, (double)c->b_scale, (double)c->out_scale, i,
                     tensor_at(c->element, got, i), tensor_at(c->element, want, i));
}

static void init_pairs(struct binary_case *c, int seed, uint32_t *dims)
{
    struct hy_random r = {(uint64_t)seed};

    *c = (struct binary_case){.seed = (uint64_t)seed,
                              .op = seed % 2 ? HY_BINARY_SUB : HY_BINARY_ADD,
                              .element = seed / 2 % 2 ? HY_ELEMENT_U8 : HY_ELEMENT_S8};
    choose_pair_scales(&r, c, seed / 4 % 3);
    set_all_pairs(c, dims);
}

static void expect_all_pairs_at_all_isa_levels(const struct binary_case *c, int seed)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        if (tested_kernels_at(level))
            expect_all_pairs((enum hy_kernel_isa_level)level, c, seed);
}

TEST(kernels_binary, every_pair_of_bytes_is_as_the_reference)
{
    for (int seed = 0; seed < 48; seed++) {
        struct binary_case c;
        uint32_t dims = PAIRS;
        init_pairs(&c, seed, &dims);
        expect_all_pairs_at_all_isa_levels(&c, seed);
        c.op = HY_BINARY_PRELU;
        hy_binary_set_scales(&c.params, c.op, c.element, c.a_scale, c.b_scale, c.out_scale);
        expect_all_pairs_at_all_isa_levels(&c, seed);
    }
}

TEST(kernels_binary, every_pair_of_bytes_by_a_form_is_as_the_reference)
{
    int found = 0;

    for (int seed = 0; seed < 240; seed++) {
        struct binary_case c;
        uint32_t dims = PAIRS;
        init_pairs(&c, seed, &dims);
        if (!use_form(&c))
            continue;
        expect_all_pairs_at_all_isa_levels(&c, seed);
        found++;
    }
    EXPECT(found > 150);
}

/* The form as its header tells it. */
static int32_t result_by_form(const struct hy_sum_form *form, int32_t a, int32_t b)
{
    const int64_t low = (int64_t)a * form->a_low + (int64_t)b * form->b_low + form->c_low;
    const int64_t high = (int64_t)a * form->a_high + (int64_t)b * form->b_high + (low >> 15);

    EXPECT(low == (int32_t)low);
    return (int32_t)((high >> 16) + form->c_high);
}

static void expect_form(const struct binary_case *c)
{
    const int32_t offset = c->element == HY_ELEMENT_S8 ? 0 : 128;
    const uint8_t *want = tensor_blank(WANT_SLOT, c->element, PAIRS);

    hy_kernels_reference()->binary[c->op][c->element](&c->params, c->a, c->b, (void *)want);
    for (size_t i = 0; i < PAIRS; i++) {
        const int32_t a = (int32_t)tensor_at(c->element, c->a, i) - offset;
        const int32_t b = (int32_t)tensor_at(c->element, c->b, i) - offset;
        const int32_t result = result_by_form(&c->form, a * 256, b * 256);
        EXPECT_INT(result, (int16_t)result);
        const int32_t got =
            hy_clamp_int32(result, c->params.activation.q_min, c->params.activation.q_max);
        if (got != (int32_t)tensor_at(c->element, want, i))
            hy_test_fail(__FILE__, __LINE__, "seed %llu: pair %zu is %d, the reference has %.9g",
                         (unsigned long long)c->seed, i, got, tensor_at(c->element, want, i));
    }
}

TEST(kernels_sum_form, scales_of_networks_have_one)
{
    for (int seed = 0; seed < 100; seed++) {
        struct hy_random r = {(uint64_t)seed};
        struct binary_case c = {.seed = (uint64_t)seed,
                                .op = seed % 2 ? HY_BINARY_SUB : HY_BINARY_ADD,
                                .element = seed / 2 % 2 ? HY_ELEMENT_U8 : HY_ELEMENT_S8};
        uint32_t dims = PAIRS;
        choose_pair_scales(&r, &c, 0);
        if (seed % 5 == 0) /* both sides have the scale of the output, or of each other */
            c.b_scale = seed % 10 ? c.a_scale : c.out_scale;
        hy_binary_set_scales(&c.params, c.op, c.element, c.a_scale, c.b_scale, c.out_scale);
        set_all_pairs(&c, &dims);
        REQUIRE(hy_sum_form_find(&c.params, c.op, c.element == HY_ELEMENT_S8, 4096, &c.form));
        expect_form(&c);
    }
}

/* Halves away from zero are no line, but for slopes that are a little too steep. */
TEST(kernels_sum_form, means_have_one_if_many_pairs_may_be_tested)
{
    struct binary_case c = {.op = HY_BINARY_ADD, .element = HY_ELEMENT_S8};
    struct hy_random r = {1};
    uint32_t dims = PAIRS;

    choose_quantisation(&r, &c);
    hy_binary_set_scales(&c.params, c.op, c.element, 0.5f, 0.5f, 1);
    set_all_pairs(&c, &dims);
    EXPECT(!hy_sum_form_find(&c.params, c.op, true, 4096, &c.form));
    REQUIRE(hy_sum_form_find(&c.params, c.op, true, PAIRS, &c.form));
    expect_form(&c);
}

TEST(kernels_sum_form, slopes_that_do_not_fit_have_none)
{
    struct binary_case c = {.op = HY_BINARY_ADD, .element = HY_ELEMENT_U8};

    hy_binary_set_scales(&c.params, c.op, c.element, 64, 64, 1);
    EXPECT(!hy_sum_form_find(&c.params, c.op, false, SIZE_MAX, &c.form));
    hy_binary_set_scales(&c.params, c.op, c.element, 0x1p-20f, 0x1p20f, 0x1p-30f);
    EXPECT(!hy_sum_form_find(&c.params, c.op, false, SIZE_MAX, &c.form));
}

TEST(kernels_binary, long_sums_may_be_written_over_an_input)
{
    for (int level = HY_KERNEL_REFERENCE; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at(level);
        for (int with_form = 0; table && with_form < 2; with_form++) {
            struct binary_case c;
            uint32_t dims = PAIRS;
            init_pairs(&c, 0, &dims);
            REQUIRE(!with_form || use_form(&c));
            void *want = tensor_blank(WANT_SLOT, c.element, c.count);
            hy_kernels_reference()->binary[c.op][c.element](&c.params, c.a, c.b, want);
            void *over = with_form ? c.b : c.a;
            table->binary[c.op][c.element](&c.params, c.a, c.b, over);
            EXPECT_INT(tensor_first_difference(c.element, want, over, c.count), c.count);
        }
    }
}

TEST(kernels_binary, int32_sums_wrap)
{
    int32_t a[] = {INT32_MAX, INT32_MIN}, b[] = {1, -1}, out[2];
    uint32_t dims = 2;
    struct hy_binary_params params = {0};

    REQUIRE(hy_broadcast_init(1, &dims, 1, &dims, &params.shape));
    hy_kernels_reference()->binary[HY_BINARY_ADD][HY_ELEMENT_I32](&params, a, b, out);
    EXPECT_INT(out[0], INT32_MIN);
    EXPECT_INT(out[1], INT32_MAX);
}

TEST(kernels_binary, int32_division_rounds_down_and_never_traps)
{
    int32_t a[] = {7, -7, 7, -7, 6, INT32_MIN, 5, 0}, b[] = {2, 2, -2, -2, -3, -1, 0, 0}, out[8];
    const int32_t expected[] = {3, -4, -4, 3, -2, INT32_MIN, 0, 0};
    uint32_t dims = 8;
    struct hy_binary_params params = {0};

    REQUIRE(hy_broadcast_init(1, &dims, 1, &dims, &params.shape));
    hy_kernels_reference()->binary[HY_BINARY_DIV][HY_ELEMENT_I32](&params, a, b, out);
    for (int i = 0; i < 8; i++)
        EXPECT_INT(out[i], expected[i]);
}

TEST(kernels_binary, nan_passes_every_activation)
{
    float a[] = {NAN, 1, -1}, b[] = {0, 0, 0}, out[3];
    uint32_t dims = 3;
    struct hy_binary_params params = {.activation = hy_activation_bounds(3, HY_ELEMENT_F32, 0, 0)};

    REQUIRE(hy_broadcast_init(1, &dims, 1, &dims, &params.shape));
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at(level);
        if (!table)
            continue;
        table->binary[HY_BINARY_ADD][HY_ELEMENT_F32](&params, a, b, out);
        EXPECT(isnan(out[0]) && out[1] == 1 && out[2] == 0);
    }
}
