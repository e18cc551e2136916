#include <string.h>

#include "cpu_fallback/kernels/byte_table.h"
#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

/* Operations that take bytes as they are, or by a table: every level gives those of the reference.
 */

enum { A_SLOT, B_SLOT, CONDITION_SLOT, WANT_SLOT, GOT_SLOT };

/* Past several vectors, with each length of a tail. */
enum { MOST = 300 };

static void set_table(struct hy_random *r, uint8_t table[HY_TABLE_SIZE])
{
    for (int i = 0; i < HY_TABLE_SIZE; i++)
        table[i] = (uint8_t)hy_random_next(r);
}

static void expect_same(enum hy_kernel_isa_level level, const char *name, const uint8_t *want,
                        const uint8_t *got, size_t count)
{
    const size_t i = tensor_first_difference(HY_ELEMENT_U8, want, got, count);

    if (i < count)
        hy_test_fail(__FILE__, __LINE__, "%s %s: byte %zu of %zu is %d, the reference has %d",
                     hy_kernel_isa_level_name(level), name, i, count, got[i], want[i]);
    EXPECT(guarded_front_is_intact(GOT_SLOT));
}

static void check_lookup(enum hy_kernel_isa_level level, size_t count, bool is_in_place)
{
    struct hy_random r = {count};
    uint8_t table[HY_TABLE_SIZE];
    const struct hy_unary_params params = {.count = count, .table = table};
    const uint8_t *in = tensor_random(&r, A_SLOT, HY_ELEMENT_U8, count);
    uint8_t *want = tensor_blank(WANT_SLOT, HY_ELEMENT_U8, count);
    uint8_t *got = tensor_blank(GOT_SLOT, HY_ELEMENT_U8, count);

    set_table(&r, table);
    hy_kernels_reference()->unary[HY_UNARY_TANH][HY_ELEMENT_U8](&params, in, want);
    if (is_in_place)
        memcpy(got, in, count);
    tested_kernels_at(level)->unary[HY_UNARY_TANH][HY_ELEMENT_U8](&params, is_in_place ? got : in,
                                                                  got);
    expect_same(level, "look-up", want, got, count);
}

TEST(kernels_bytes, any_number_is_looked_up_in_place_or_not)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (size_t count = 0; count < MOST && tested_kernels_at(level); count++) {
            check_lookup((enum hy_kernel_isa_level)level, count, false);
            check_lookup((enum hy_kernel_isa_level)level, count, true);
        }
}

TEST(kernels_bytes, every_entry_of_a_table_is_found)
{
    uint8_t in[HY_TABLE_SIZE], table[HY_TABLE_SIZE], out[HY_TABLE_SIZE];
    const struct hy_unary_params params = {.count = HY_TABLE_SIZE, .table = table};

    for (int i = 0; i < HY_TABLE_SIZE; i++) {
        in[i] = (uint8_t)(i * 101);
        table[i] = (uint8_t)(255 - i);
    }
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *kernels = tested_kernels_at(level);
        if (!kernels)
            continue;
        kernels->unary[HY_UNARY_NOT][HY_ELEMENT_BOOL](&params, in, out);
        for (int i = 0; i < HY_TABLE_SIZE; i++)
            EXPECT_INT(out[i], 255 - in[i]);
    }
}

static void check_select(enum hy_kernel_isa_level level, size_t count, int tables)
{
    struct hy_random r = {count};
    uint8_t a_table[HY_TABLE_SIZE], b_table[HY_TABLE_SIZE];
    const struct hy_select_params params = {.count = count,
                                            .a_table = tables & 1 ? a_table : NULL,
                                            .b_table = tables & 2 ? b_table : NULL};
    const uint8_t *a = tensor_random(&r, A_SLOT, HY_ELEMENT_U8, count);
    const uint8_t *b = tensor_random(&r, B_SLOT, HY_ELEMENT_U8, count);
    uint8_t *condition = tensor_random(&r, CONDITION_SLOT, HY_ELEMENT_U8, count);
    uint8_t *want = tensor_blank(WANT_SLOT, HY_ELEMENT_U8, count);
    uint8_t *got = tensor_blank(GOT_SLOT, HY_ELEMENT_U8, count);

    set_table(&r, a_table);
    set_table(&r, b_table);
    for (size_t i = 0; i < count; i++)
        if (hy_random_one_in(&r, 2))
            condition[i] = 0;
    hy_kernels_reference()->select[HY_ELEMENT_SIZE1](&params, condition, a, b, want);
    tested_kernels_at(level)->select[HY_ELEMENT_SIZE1](&params, condition, a, b, got);
    expect_same(level, "SELECT", want, got, count);
}

TEST(kernels_bytes, any_number_is_selected_converted_or_not)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (size_t count = 0; count < MOST && tested_kernels_at(level); count++)
            check_select((enum hy_kernel_isa_level)level, count, (int)count % 4);
}

/* Shapes that broadcast, with rows of all lengths, and zeros among them. */
static void choose_shapes(struct hy_random *r, uint32_t a[3], uint32_t b[3])
{
    const bool are_alike = hy_random_one_in(r, 3);

    for (int i = 0; i < 3; i++) {
        const int most = i < 2 ? 4 : hy_random_one_in(r, 3) ? 200 : 40;
        a[i] = b[i] = (uint32_t)hy_random_between(r, hy_random_one_in(r, 15) ? 0 : 1, most);
        if (!are_alike && hy_random_one_in(r, 3))
            *(hy_random_one_in(r, 2) ? &a[i] : &b[i]) = 1;
    }
}

static size_t count_of(const uint32_t dims[3])
{
    return (size_t)dims[0] * dims[1] * dims[2];
}

/* Equal quantisations make equal numbers likely, and so do close scales. */
static void choose_quantisation(struct hy_random *r, enum hy_element element,
                                struct hy_binary_params *params)
{
    params->a_scale = 0.01f + (float)hy_random_between(r, 0, 3);
    params->b_scale = hy_random_one_in(r, 2) ? params->a_scale : params->a_scale / 3;
    params->a_zero_point = hy_random_between(r, tensor_min(element), tensor_max(element));
    params->b_zero_point = hy_random_one_in(r, 2) ? params->a_zero_point : 0;
}

static void check_pairs(enum hy_kernel_isa_level level, enum hy_binary op, uint64_t seed)
{
    struct hy_random r = {seed};
    const enum hy_element element = seed % 2 ? HY_ELEMENT_U8 : HY_ELEMENT_S8;
    uint8_t a_table[HY_TABLE_SIZE], b_table[HY_TABLE_SIZE];
    uint32_t a_dims[3], b_dims[3];
    struct hy_binary_params params = {.a_table = hy_random_one_in(&r, 2) ? a_table : NULL,
                                      .b_table = hy_random_one_in(&r, 2) ? b_table : NULL};

    set_table(&r, a_table);
    set_table(&r, b_table);
    choose_shapes(&r, a_dims, b_dims);
    choose_quantisation(&r, element, &params);
    REQUIRE(hy_broadcast_init(3, a_dims, 3, b_dims, &params.shape));
    const size_t count = hy_broadcast_count(&params.shape);
    const void *a = tensor_random(&r, A_SLOT, element, count_of(a_dims));
    const void *b = tensor_random(&r, B_SLOT, element, count_of(b_dims));
    uint8_t *want = tensor_blank(WANT_SLOT, HY_ELEMENT_U8, count);
    uint8_t *got = tensor_blank(GOT_SLOT, HY_ELEMENT_U8, count);

    hy_kernels_reference()->binary[op][element](&params, a, b, want);
    tested_kernels_at(level)->binary[op][element](&params, a, b, got);
    expect_same(level, op <= HY_BINARY_MINIMUM ? "extreme" : "comparison", want, got, count);
}

TEST(kernels_bytes, extremes_and_comparisons_of_any_shapes_are_as_the_reference)
{
    static const enum hy_binary ops[] = {
        HY_BINARY_MAXIMUM, HY_BINARY_MINIMUM,    HY_BINARY_EQUAL,   HY_BINARY_NOT_EQUAL,
        HY_BINARY_LESS,    HY_BINARY_LESS_EQUAL, HY_BINARY_GREATER, HY_BINARY_GREATER_EQUAL};

    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 1600 && tested_kernels_at(level); seed++)
            check_pairs((enum hy_kernel_isa_level)level, ops[seed / 2 % 8], seed);
}
