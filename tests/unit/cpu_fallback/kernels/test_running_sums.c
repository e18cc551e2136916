/* Running sums and sums of segments on random shapes, whose tensors end where their pages do. */
#include <math.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tests/kit/test.h"

enum { IN_SLOT, OUT_SLOT, ID_SLOT };

static double tolerance_of(enum hy_element element)
{
    switch (element) {
    case HY_ELEMENT_F32:
        return 0x1p-20;
    case HY_ELEMENT_F16:
        return 0x1p-9;
    case HY_ELEMENT_BF16:
        return 0x1p-6;
    default:
        return 0x1p-40;
    }
}

static bool is_float(enum hy_element element)
{
    return element == HY_ELEMENT_F32 || element == HY_ELEMENT_F16 || element == HY_ELEMENT_F64 ||
           element == HY_ELEMENT_BF16;
}

static uint64_t bits_at(enum hy_element element, const void *values, size_t i)
{
    if (tensor_element_size(element) == 8)
        return ((const uint64_t *)values)[i];
    return (uint64_t)(int64_t)tensor_at(element, values, i);
}

/* A sum of elements, of integers modulo 2^n. */
struct sum {
    enum hy_element element;
    double real;
    uint64_t integer;
};

static void add(struct sum *sum, const void *values, size_t i)
{
    if (is_float(sum->element))
        sum->real += tensor_at(sum->element, values, i);
    else
        sum->integer += bits_at(sum->element, values, i);
}

static void expect_sum(const struct sum *sum, const void *out, size_t i, uint64_t seed, int line)
{
    const unsigned unused = 64 - 8 * (unsigned)tensor_element_size(sum->element);
    const double got = tensor_at(sum->element, out, i);

    if (is_float(sum->element) ? !(fabs(got - sum->real) <= 10 * tolerance_of(sum->element))
                               : bits_at(sum->element, out, i) << unused != sum->integer << unused)
        hy_test_fail(__FILE__, line, "seed %llu element %d: %zu is %g, expected %g or %llu",
                     (unsigned long long)seed, (int)sum->element, i, got, sum->real,
                     (unsigned long long)sum->integer);
}

static void check_cumsum(uint64_t seed, enum hy_element element)
{
    struct hy_random r = {seed};
    const struct hy_cumsum_params params = {
        .lines = {(size_t)hy_random_between(&r, 1, 3), (size_t)hy_random_between(&r, 1, 9),
                  (size_t)hy_random_between(&r, 1, 9)},
        .exclusive = hy_random_one_in(&r, 2),
        .reverse = hy_random_one_in(&r, 2),
    };
    const size_t count = params.lines.count, size = count * hy_lines_number(&params.lines);
    const void *in = tensor_random(&r, IN_SLOT, element, size);
    void *out = tensor_blank(OUT_SLOT, element, size);

    hy_kernels_reference()->cumsum[element](&params, in, out);
    for (size_t line = 0; line < hy_lines_number(&params.lines); line++) {
        struct sum sum = {element, 0, 0};
        for (size_t i = 0; i < count; i++) {
            const size_t at = hy_line_begin(&params.lines, line) +
                              (params.reverse ? count - 1 - i : i) * params.lines.inner;
            if (!params.exclusive)
                add(&sum, in, at);
            expect_sum(&sum, out, at, seed, __LINE__);
            if (params.exclusive)
                add(&sum, in, at);
        }
    }
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_running_sums, are_those_of_the_elements_so_far)
{
    for (uint64_t seed = 0; seed < 100; seed++)
        for (int element = 0; element < HY_ELEMENT_COUNT; element++)
            if (hy_kernels_reference()->cumsum[element])
                check_cumsum(seed, (enum hy_element)element);
}

static void check_segments(uint64_t seed, enum hy_element element)
{
    struct hy_random r = {seed};
    const struct hy_segment_params params = {
        .kind = HY_SEGMENT_SUM,
        .rows = (size_t)hy_random_between(&r, 0, 9),
        .length = (size_t)hy_random_between(&r, 1, 5),
        .segments = (size_t)hy_random_between(&r, 1, 4),
    };
    const void *in = tensor_random(&r, IN_SLOT, element, params.rows * params.length);
    int32_t *ids = guarded_alloc(ID_SLOT, params.rows * sizeof *ids, 0);
    void *out = tensor_blank(OUT_SLOT, element, params.segments * params.length);
    float wide[4 * 5];
    const bool is_narrow = element == HY_ELEMENT_F16 || element == HY_ELEMENT_BF16;

    for (size_t i = 0; i < params.rows; i++)
        ids[i] = hy_random_between(&r, -1, (int32_t)params.segments - 1);
    hy_kernels_reference()->segment[element](&params, ids, in, is_narrow ? wide : out, out);
    for (size_t at = 0; at < params.segments * params.length; at++) {
        struct sum sum = {element, 0, 0};
        for (size_t i = 0; i < params.rows; i++)
            if (ids[i] == (int32_t)(at / params.length))
                add(&sum, in, i * params.length + at % params.length);
        expect_sum(&sum, out, at, seed, __LINE__);
    }
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_running_sums, of_segments_are_those_of_their_rows)
{
    for (uint64_t seed = 0; seed < 100; seed++)
        for (int element = 0; element < HY_ELEMENT_COUNT; element++)
            if (hy_kernels_reference()->segment[element])
                check_segments(seed, (enum hy_element)element);
}
