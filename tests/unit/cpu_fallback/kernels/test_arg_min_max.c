#include <math.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { IN_SLOT, OUT_SLOT, INDEX_SLOT, WANT_SLOT };

/* Those of which a double tells all numbers apart. */
static const enum hy_element elements[] = {
    HY_ELEMENT_F32, HY_ELEMENT_F16,  HY_ELEMENT_I32, HY_ELEMENT_U8, HY_ELEMENT_S8,
    HY_ELEMENT_F64, HY_ELEMENT_BF16, HY_ELEMENT_I8,  HY_ELEMENT_N8, HY_ELEMENT_I16,
    HY_ELEMENT_N16, HY_ELEMENT_S16,  HY_ELEMENT_N32};
enum { ELEMENTS = sizeof elements / sizeof *elements };

/* The first index of the largest of a line, or the last one; of the smallest for sign -1. */
static size_t arg_min_max_of(enum hy_element element, const void *in, size_t begin, size_t count,
                             size_t pitch, int sign, bool last)
{
    size_t best = 0;

    for (size_t n = 0; n < count; n++) {
        const size_t i = last ? n : count - 1 - n;
        if (sign * tensor_at(element, in, begin + i * pitch) >=
            sign * tensor_at(element, in, begin + best * pitch))
            best = i;
    }
    return best;
}

static void check_arg_min_max(uint64_t seed, enum hy_arg_min_max op)
{
    struct hy_random r = {seed};
    enum hy_element element = elements[seed % ELEMENTS];
    struct hy_lines lines = {(size_t)hy_random_between(&r, 1, 4),
                             (size_t)hy_random_between(&r, 1, 9),
                             (size_t)hy_random_between(&r, 1, 4)};
    const void *in = tensor_random(&r, IN_SLOT, element, lines.outer * lines.count * lines.inner);
    int32_t *out = tensor_blank(OUT_SLOT, HY_ELEMENT_I32, lines.outer * lines.inner);
    const bool is_max = op == HY_ARG_MAX || op == HY_ARG_MAX_LAST;
    const bool is_last = op == HY_ARG_MAX_LAST || op == HY_ARG_MIN_LAST;

    hy_kernels_reference()->arg_min_max[op][element](&lines, in, out);
    for (size_t o = 0; o < lines.outer; o++)
        for (size_t i = 0; i < lines.inner; i++) {
            size_t want = arg_min_max_of(element, in, o * lines.count * lines.inner + i,
                                         lines.count, lines.inner, is_max ? 1 : -1, is_last);
            EXPECT_INT(out[o * lines.inner + i], want);
        }
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_extreme, arg_is_the_first_or_the_last_of_the_line)
{
    for (uint64_t seed = 0; seed < 260; seed++)
        for (int op = 0; op < HY_ARG_MIN_MAX_COUNT; op++)
            check_arg_min_max(seed, (enum hy_arg_min_max)op);
}

TEST(kernels_extreme, nan_only_wins_in_first_place)
{
    const struct hy_lines lines = {2, 3, 1};
    const float in[] = {1, NAN, 2, NAN, 5, 6};
    int32_t out[2];

    hy_kernels_reference()->arg_min_max[HY_ARG_MAX][HY_ELEMENT_F32](&lines, in, out);
    EXPECT_INT(out[0], 2);
    EXPECT_INT(out[1], 0);
}

/* Few different values, so that many are the best; of floats some NaN and zeros of both signs. */
static void repeat_values(struct hy_random *r, enum hy_element element, void *in, size_t count)
{
    static const float values[] = {1, -1, 0, -0.0f, INFINITY, -INFINITY, NAN};

    for (size_t i = 0; i < count; i++)
        if (element == HY_ELEMENT_F32)
            ((float *)in)[i] = values[hy_random_between(r, 0, hy_random_one_in(r, 9) ? 6 : 3)];
        else
            ((uint8_t *)in)[i] = (uint8_t)hy_random_between(r, 126, 129);
}

static void compare_arg_min_max(enum hy_kernel_isa_level level, enum hy_arg_min_max op,
                                uint64_t seed)
{
    static const enum hy_element types[] = {HY_ELEMENT_F32, HY_ELEMENT_U8, HY_ELEMENT_S8};
    struct hy_random r = {seed};
    const enum hy_element element = types[seed % 3];
    const struct hy_lines lines = {
        .outer = (size_t)hy_random_between(&r, 0, 3),
        .count = (size_t)hy_random_between(&r, 1, hy_random_one_in(&r, 4) ? 900 : 70),
        .inner = hy_random_one_in(&r, 2) ? 1 : (size_t)hy_random_between(&r, 0, 80)};
    const size_t number = lines.outer * lines.inner;
    void *in = tensor_random(&r, IN_SLOT, element, number * lines.count);
    int32_t *want = tensor_blank(WANT_SLOT, HY_ELEMENT_I32, number);
    int32_t *got = tensor_blank(OUT_SLOT, HY_ELEMENT_I32, number);

    if (hy_random_one_in(&r, 2))
        repeat_values(&r, element, in, number * lines.count);
    hy_kernels_reference()->arg_min_max[op][element](&lines, in, want);
    tested_kernels_at(level)->arg_min_max[op][element](&lines, in, got);
    for (size_t i = 0; i < number; i++)
        if (want[i] != got[i])
            hy_test_fail(__FILE__, __LINE__,
                         "%s seed %llu element %d, %zu x %zu x %zu: line %zu has %d, the reference "
                         "%d",
                         hy_kernel_isa_level_name(level), (unsigned long long)seed, (int)element,
                         lines.outer, lines.count, lines.inner, i, got[i], want[i]);
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_extreme, arg_at_every_level_is_as_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 1200 && tested_kernels_at(level); seed++) {
            compare_arg_min_max((enum hy_kernel_isa_level)level, HY_ARG_MAX, seed);
            compare_arg_min_max((enum hy_kernel_isa_level)level, HY_ARG_MIN, seed);
        }
}

/* How many elements of the row come before element `i`. */
static size_t index_of(const struct hy_top_k_params *p, enum hy_element element, const void *in,
                       size_t begin, size_t i)
{
    double value = tensor_at(element, in, begin + i);
    size_t position = 0;

    for (size_t j = 0; j < p->count; j++) {
        double other = tensor_at(element, in, begin + j);
        if (other == value)
            position += p->first_of_equals ? j < i : j > i;
        else
            position += p->smallest ? other < value : other > value;
    }
    return position;
}

static void check_top_k(uint64_t seed)
{
    struct hy_random r = {seed};
    enum hy_element element = elements[seed % ELEMENTS];
    struct hy_top_k_params p = {.rows = (size_t)hy_random_between(&r, 1, 4),
                                .count = (size_t)hy_random_between(&r, 1, 300),
                                .first_of_equals = hy_random_one_in(&r, 2),
                                .smallest = hy_random_one_in(&r, 2)};
    p.k = (size_t)hy_random_between(&r, 1, (int32_t)p.count);
    const void *in = tensor_random(&r, IN_SLOT, element, p.rows * p.count);
    void *values = tensor_blank(OUT_SLOT, element, p.rows * p.k);
    int32_t *indices = tensor_blank(INDEX_SLOT, HY_ELEMENT_I32, p.rows * p.k);

    hy_kernels_reference()->top_k[element](&p, in, values, indices);
    for (size_t row = 0; row < p.rows; row++)
        for (size_t i = 0; i < p.count; i++) {
            size_t position = index_of(&p, element, in, row * p.count, i);
            if (position >= p.k)
                continue;
            EXPECT_INT(indices[row * p.k + position], i);
            EXPECT(tensor_at(element, values, row * p.k + position) ==
                   tensor_at(element, in, row * p.count + i));
        }
    EXPECT(guarded_front_is_intact(OUT_SLOT) && guarded_front_is_intact(INDEX_SLOT));
}

TEST(kernels_extreme, top_k_is_sorted_and_takes_the_last_of_equals)
{
    for (uint64_t seed = 0; seed < 60; seed++)
        check_top_k(seed);
}

TEST(kernels_extreme, top_k_of_nan_stays_within_the_row)
{
    const struct hy_top_k_params p = {.rows = 1, .count = 6, .k = 4};
    const float in[] = {NAN, 1, NAN, 3, NAN, 2};
    float values[4];
    int32_t indices[4];

    hy_kernels_reference()->top_k[HY_ELEMENT_F32](&p, in, values, indices);
    for (int i = 0; i < 4; i++)
        EXPECT(indices[i] >= 0 && indices[i] < 6);
}
