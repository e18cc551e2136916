/* Products of int16 matrices: every level against the reference. */
#include <stdlib.h>
#include <string.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { LHS_SLOT, RHS_SLOT, WANT_SLOT, GOT_SLOT, PACKED_SLOT, SCRATCH_SLOT };

/* What the values of a side are like. */
enum kind { ANY, EXTREME, SMALL, ROWS_OF_BOTH, KINDS };

struct product {
    uint32_t rows, depth, columns;
    int is_turned; /* the right side lies in rows of columns */
    struct hy_multiplier multiplier;
    const int16_t *lhs, *rhs;
};

static int16_t value_of(struct hy_random *r, enum kind kind)
{
    static const int16_t extremes[] = {INT16_MIN, INT16_MIN + 1, INT16_MAX, INT16_MAX - 127, 0, -1};

    if (kind == EXTREME)
        return extremes[hy_random_between(r, 0, 5)];
    if (kind == SMALL)
        return (int16_t)hy_random_between(r, -300, 300);
    return (int16_t)hy_random_next(r);
}

static const int16_t *random_side(struct hy_random *r, int slot, enum kind kind, size_t rows,
                                  size_t columns)
{
    int16_t *values = guarded_alloc(slot, rows * columns * sizeof *values, 0);

    for (size_t i = 0; i < rows * columns; i++)
        values[i] = value_of(r, kind == ROWS_OF_BOTH ? (i / columns % 3 ? SMALL : ANY) : kind);
    return values;
}

static struct hy_multiplier any_multiplier(struct hy_random *r)
{
    return (struct hy_multiplier){
        hy_random_one_in(r, 3) ? 1 << 30 : hy_random_between(r, 1 << 30, INT32_MAX),
        hy_random_one_in(r, 3) ? hy_random_between(r, -31, 30) : hy_random_between(r, -22, -5)};
}

static void random_sides(struct product *x, struct hy_random *r, enum kind lhs, enum kind rhs)
{
    x->lhs = random_side(r, LHS_SLOT, lhs, x->rows, x->depth);
    x->rhs = x->is_turned ? random_side(r, RHS_SLOT, rhs, x->depth, x->columns)
                          : random_side(r, RHS_SLOT, rhs, x->columns, x->depth);
}

static const int16_t *run_reference(const struct product *x)
{
    int16_t *out = tensor_blank(WANT_SLOT, HY_ELEMENT_S16, (size_t)x->rows * x->columns);
    const struct hy_matmul_params params = {
        .rows = x->rows,
        .depth = x->depth,
        .columns = x->columns,
        .lhs = {.row_stride = x->depth, .column_stride = 1},
        .rhs = {.row_stride = x->is_turned ? x->columns : 1,
                .column_stride = x->is_turned ? 1 : x->depth},
        .multiplier = x->multiplier,
    };

    hy_kernels_reference()->matmul[HY_ELEMENT_S16](&params, x->lhs, x->rhs, out);
    return out;
}

/* A unit at a time, the last one first. NULL: the kernel does not take it. */
static const int16_t *run_kernel(const struct product *x, const struct hy_conv_kernel *kernel)
{
    int16_t *out = tensor_blank(GOT_SLOT, HY_ELEMENT_S16, (size_t)x->rows * x->columns);
    struct hy_conv_params p = {.multipliers = &x->multiplier, .has_one_multiplier = 1};

    hy_conv_params_set_fully_connected(&p, x->rows, x->depth, x->columns);
    p.activation = hy_activation_bounds(0, HY_ELEMENT_S16, 1, 0);
    if (!kernel->suits(&p))
        return NULL;
    void *packed = guarded_alloc(PACKED_SLOT, kernel->packed_bytes(&p), 0x5a);
    void *scratch = guarded_alloc(SCRATCH_SLOT, kernel->scratch_bytes(&p), 0x5a);
    (x->is_turned ? kernel->pack_transposed : kernel->pack)(&p, x->rhs, NULL, packed);
    for (size_t unit = kernel->units(&p); unit-- > 0;)
        kernel->run(&p, x->lhs, packed, NULL, out, scratch, unit, unit + 1);
    return out;
}

/* How many levels have a kernel of their own that takes it. */
static int check(const struct product *x)
{
    const size_t count = (size_t)x->rows * x->columns;
    const int16_t *want = run_reference(x);
    int accepted = 0;

    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at(level);
        const struct hy_conv_kernel *kernel = table ? &table->matmul_wide : NULL;
        if (!kernel || !tested_is_own(level, kernel, sizeof *kernel))
            continue;
        const int16_t *got = run_kernel(x, kernel);
        if (!got)
            continue;
        accepted++;
        const size_t i = tensor_first_difference(HY_ELEMENT_S16, want, got, count);
        if (i < count)
            hy_test_fail(__FILE__, __LINE__,
                         "%s [%u, %u, %u] turned %d, %d * 2^%d: index %zu is %d, the reference "
                         "has %d",
                         kernel->name, x->rows, x->depth, x->columns, x->is_turned,
                         x->multiplier.mantissa, x->multiplier.exponent, i, got[i], want[i]);
        EXPECT(guarded_front_is_intact(GOT_SLOT));
        EXPECT(guarded_front_is_intact(PACKED_SLOT));
        EXPECT(guarded_front_is_intact(SCRATCH_SLOT));
    }
    return accepted;
}

/* How many levels are tested here. */
static int kernels(void)
{
    int count = 0;

    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at(level);
        count += table && tested_is_own(level, &table->matmul_wide, sizeof table->matmul_wide);
    }
    return count;
}

TEST(kernels_wide_matmul, every_level_is_as_the_reference)
{
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct hy_random r = {seed};
        struct product x = {
            .rows = (uint32_t)hy_random_between(&r, 0, 20),
            .depth = (uint32_t)hy_random_between(&r, 1, hy_random_one_in(&r, 3) ? 140 : 30),
            .columns = (uint32_t)hy_random_between(&r, 1, 80),
            .is_turned = hy_random_one_in(&r, 2),
            .multiplier = any_multiplier(&r),
        };
        random_sides(&x, &r, (enum kind)hy_random_between(&r, 0, KINDS - 1),
                     (enum kind)hy_random_between(&r, 0, KINDS - 1));
        EXPECT(check(&x) == kernels());
    }
}

/* Depths around those whose sums fit 32 bits, once and several times. */
TEST(kernels_wide_matmul, sums_of_many_products_are_exact)
{
    for (uint32_t depth = 500; depth <= 2050;
         depth += depth % 510 < 4 || depth % 510 > 507 ? 1 : 46)
        for (int kind = 0; kind < KINDS; kind++) {
            struct hy_random r = {depth * KINDS + (uint32_t)kind};
            struct product x = {
                .rows = (uint32_t)hy_random_between(&r, 1, 9),
                .depth = depth,
                .columns = (uint32_t)hy_random_between(&r, 1, 40),
                .is_turned = hy_random_one_in(&r, 2),
                .multiplier = {1 << 30, hy_random_between(&r, -22, 15)},
            };
            random_sides(&x, &r, (enum kind)kind, kind == ANY ? ANY : EXTREME);
            EXPECT(check(&x) == kernels());
        }
}

/* The largest sums there are: of one sign, and none beyond them. */
TEST(kernels_wide_matmul, products_of_the_least_numbers_do_not_wrap)
{
    static const uint32_t depths[] = {1,   2,   3,    64,   509,  510,  511,
                                      512, 513, 1020, 1021, 4096, 20000};

    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        for (int32_t exponent = -31; exponent <= 2; exponent++)
            for (int sign = 0; sign < 2; sign++) {
                struct product x = {
                    .rows = 2, .depth = depths[i], .columns = 2, .multiplier = {1 << 30, exponent}};
                int16_t *lhs = guarded_alloc(LHS_SLOT, 2 * x.depth * sizeof *lhs, 0);
                int16_t *rhs = guarded_alloc(RHS_SLOT, 2 * x.depth * sizeof *rhs, 0);
                for (uint32_t k = 0; k < 2 * x.depth; k++) {
                    lhs[k] = INT16_MIN;
                    rhs[k] = sign ? INT16_MIN : INT16_MAX;
                }
                x.lhs = lhs;
                x.rhs = rhs;
                EXPECT(check(&x) == kernels() || (x.depth > 510 && exponent < -22));
            }
}

/* Rows whose magnitudes are just small enough to stay whole, and a little larger ones. */
TEST(kernels_wide_matmul, rows_at_the_limit_of_32_bits_are_exact)
{
    for (uint32_t depth = 3; depth <= 700; depth += 17)
        for (int32_t more = -3; more <= 3; more++)
            for (int sign = -1; sign <= 1; sign += 2) {
                struct product x = {
                    .rows = 9, .depth = depth, .columns = 33, .multiplier = {0x55555555, -16}};
                int16_t *lhs = guarded_alloc(LHS_SLOT, x.rows * depth * sizeof *lhs, 0);
                int16_t *rhs = guarded_alloc(RHS_SLOT, x.columns * depth * sizeof *rhs, 0);
                for (uint32_t i = 0; i < x.rows; i++) {
                    int32_t left = UINT16_MAX - (int32_t)depth * (i % 2 == 0) + more;
                    for (uint32_t k = 0; k < depth && left > 0; k++) {
                        const int32_t part = left < INT16_MAX ? left : INT16_MAX;
                        lhs[i * depth + k] = (int16_t)(sign * part);
                        left -= part;
                    }
                }
                for (uint32_t i = 0; i < x.columns * depth; i++)
                    rhs[i] = i % 5 ? INT16_MIN : INT16_MAX;
                x.lhs = lhs;
                x.rhs = rhs;
                EXPECT(check(&x) == kernels());
            }
}
