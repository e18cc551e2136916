#include <math.h>
#include <string.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

/* CAST and SELECT of each instruction set against the reference. */

enum { IN_SLOT, WANT_SLOT, GOT_SLOT, CONDITION_SLOT, OTHER_SLOT };

static bool is_nan_at(enum hy_element element, const void *values, size_t i)
{
    return element <= HY_ELEMENT_F16 && isnan(tensor_at(element, values, i));
}

static void check_cast(enum hy_kernel_isa_level level, enum hy_element from, enum hy_element to,
                       uint64_t seed)
{
    struct hy_random r = {seed};
    const size_t count = seed < 70 ? seed : 5000;
    uint8_t *in = tensor_blank(IN_SLOT, from, count);
    void *want = tensor_blank(WANT_SLOT, to, count), *got = tensor_blank(GOT_SLOT, to, count);

    for (size_t i = 0; i < count * tensor_element_size(from); i++)
        in[i] = (uint8_t)hy_random_next(&r);
    for (size_t i = 0; i < count && from == HY_ELEMENT_F32; i += 2) { /* within the ranges */
        const float x = ldexpf(hy_random_real(&r, -1, 1), hy_random_between(&r, 0, 33));
        memcpy(in + i * sizeof x, &x, sizeof x);
    }
    hy_kernels_reference()->cast[from][to](count, in, want);
    tested_kernels_at(level)->cast[from][to](count, in, got);
    for (size_t i = 0; i < count; i++)
        if (is_nan_at(to, want, i) ? !is_nan_at(to, got, i)
                                   : tensor_at(to, want, i) != tensor_at(to, got, i))
            hy_test_fail(__FILE__, __LINE__, "%s: %.9g from element %d to %d is %.9g, not %.9g",
                         hy_kernel_isa_level_name(level), tensor_at(from, in, i), (int)from,
                         (int)to, tensor_at(to, got, i), tensor_at(to, want, i));
    EXPECT(guarded_front_is_intact(GOT_SLOT));
}

TEST(kernels_cast, every_level_is_as_the_reference)
{
    static const enum hy_element types[] = {HY_ELEMENT_F32, HY_ELEMENT_F16, HY_ELEMENT_I32,
                                            HY_ELEMENT_U8};

    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (int pair = 0; pair < 16 && tested_kernels_at(level); pair++)
            for (uint64_t seed = 0; seed < 75 && pair % 4 != pair / 4; seed++)
                check_cast((enum hy_kernel_isa_level)level, types[pair % 4], types[pair / 4], seed);
}

/* Reals as integers of a type, by 64 bits. */
static void expect_integers(enum hy_element to, uint64_t least, uint64_t most)
{
    static const float in[] = {NAN, -INFINITY, INFINITY, -0.75f, 1.75f, -1e20f, 1e20f};
    enum { COUNT = sizeof in / sizeof *in };
    const uint64_t want[COUNT] = {0, least, most, 0, 1, least, most};
    const size_t size = tensor_element_size(to);
    const struct hy_kernel_table *reference = hy_kernels_reference();
    union hy_wide_element wide[COUNT];
    uint8_t got[COUNT * sizeof(uint64_t)];

    reference->widen[HY_ELEMENT_F32](COUNT, in, wide);
    reference->narrow[HY_WIDE_REAL][to](COUNT, wide, got);
    for (size_t i = 0; i < COUNT; i++)
        EXPECT(memcmp(got + i * size, &want[i], size) == 0);
}

TEST(kernels_cast, reals_are_kept_within_integers_of_any_width)
{
    expect_integers(HY_ELEMENT_I8, (uint64_t)INT8_MIN, INT8_MAX);
    expect_integers(HY_ELEMENT_I16, (uint64_t)INT16_MIN, INT16_MAX);
    expect_integers(HY_ELEMENT_I32, (uint64_t)INT32_MIN, INT32_MAX);
    expect_integers(HY_ELEMENT_I64, (uint64_t)INT64_MIN, INT64_MAX);
    expect_integers(HY_ELEMENT_N8, 0, UINT8_MAX);
    expect_integers(HY_ELEMENT_N16, 0, UINT16_MAX);
    expect_integers(HY_ELEMENT_N32, 0, UINT32_MAX);
    expect_integers(HY_ELEMENT_N64, 0, UINT64_MAX);
}

TEST(kernels_cast, integers_of_64_bits_become_the_nearest_reals)
{
    const uint64_t in[] = {UINT64_MAX, (uint64_t)INT64_MIN, (UINT64_C(1) << 40) + 1};
    union hy_wide_element wide[3];
    double got[3];

    hy_kernels_reference()->widen[HY_ELEMENT_N64](3, in, wide);
    hy_kernels_reference()->narrow[HY_WIDE_UNSIGNED][HY_ELEMENT_F64](3, wide, got);
    EXPECT(got[0] == 0x1p64 && got[1] == 0x1p63 && got[2] == 0x1p40 + 1);
    hy_kernels_reference()->widen[HY_ELEMENT_I64](3, in, wide);
    hy_kernels_reference()->narrow[HY_WIDE_SIGNED][HY_ELEMENT_F64](3, wide, got);
    EXPECT(got[0] == -1 && got[1] == -0x1p63 && got[2] == 0x1p40 + 1);
}

static void check_select(enum hy_kernel_isa_level level, enum hy_element_size size, size_t count)
{
    const struct hy_select_params params = {.count = count};
    const size_t bytes = count * (size == HY_ELEMENT_SIZE2 ? 2 : 4);
    struct hy_random r = {count};
    uint8_t *condition = guarded_alloc(CONDITION_SLOT, count, 0);
    uint8_t *a = guarded_alloc(IN_SLOT, bytes, 0), *b = guarded_alloc(OTHER_SLOT, bytes, 0);
    void *want = guarded_alloc(WANT_SLOT, bytes, 0x55), *got = guarded_alloc(GOT_SLOT, bytes, 0x55);

    for (size_t i = 0; i < bytes; i++) {
        a[i] = (uint8_t)hy_random_next(&r); /* NaN of all kinds, subnormal numbers */
        b[i] = (uint8_t)hy_random_next(&r);
    }
    for (size_t i = 0; i < count; i++)
        condition[i] = hy_random_one_in(&r, 2) ? 0 : (uint8_t)hy_random_next(&r);
    hy_kernels_reference()->select[size](&params, condition, a, b, want);
    tested_kernels_at(level)->select[size](&params, condition, a, b, got);
    EXPECT(count == 0 || memcmp(want, got, bytes) == 0);
    EXPECT(guarded_front_is_intact(GOT_SLOT));
}

TEST(kernels_select, every_level_takes_elements_as_they_are)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (size_t count = 0; count < 150 && tested_kernels_at(level); count++) {
            check_select((enum hy_kernel_isa_level)level, HY_ELEMENT_SIZE2, count);
            check_select((enum hy_kernel_isa_level)level, HY_ELEMENT_SIZE4, count);
        }
}
