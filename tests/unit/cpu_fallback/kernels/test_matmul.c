#include <math.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tests/kit/test.h"

enum { IN_SLOT, RHS_SLOT, OUT_SLOT };

static size_t offset(const struct hy_matmul_side *side, size_t i, size_t j, size_t row,
                     size_t column)
{
    return i * side->batch_strides[0] + j * side->batch_strides[1] + row * side->row_stride +
           column * side->column_stride;
}

/* A side of rows * columns, stored in either order, repeated along some batch dimensions. */
static struct hy_matmul_side choose_side(struct hy_random *r, size_t rows, size_t columns,
                                         const size_t batch[2], int repeats)
{
    int adjoint = hy_random_one_in(r, 2);
    struct hy_matmul_side side = {.row_stride = adjoint ? 1 : columns,
                                  .column_stride = adjoint ? rows : 1};
    int repeated = repeats && hy_random_one_in(r, 2);

    side.batch_strides[1] = repeated ? 0 : rows * columns;
    side.batch_strides[0] = repeated ? rows * columns : batch[1] * rows * columns;
    return side;
}

static double clamp(double value, double min, double max)
{
    return value < min ? min : value > max ? max : value;
}

static double expected(const struct hy_matmul_params *p, enum hy_element element, const void *lhs,
                       const void *rhs, const size_t at[4])
{
    double sum = 0;

    for (size_t k = 0; k < p->depth; k++)
        sum +=
            (tensor_at(element, lhs, offset(&p->lhs, at[0], at[1], at[2], k)) - p->lhs_zero_point) *
            (tensor_at(element, rhs, offset(&p->rhs, at[0], at[1], k, at[3])) - p->rhs_zero_point);
    if (element == HY_ELEMENT_I32)
        return (int32_t)(uint32_t)(int64_t)sum;
    if (element == HY_ELEMENT_S8)
        sum = clamp(ldexp(sum * p->multiplier.mantissa, p->multiplier.exponent - 31) +
                        p->out_zero_point,
                    -128, 127);
    return sum;
}

static void check(uint64_t seed, enum hy_element element)
{
    struct hy_random r = {seed};
    struct hy_matmul_params p = {
        .batch_rank = 2,
        .batch = {(size_t)hy_random_between(&r, 1, 3), (size_t)hy_random_between(&r, 1, 3)},
        .rows = (size_t)hy_random_between(&r, 1, 6),
        .depth = (size_t)hy_random_between(&r, 1, 6),
        .columns = (size_t)hy_random_between(&r, 1, 6),
        .multiplier = {1 << 30, -6},
    };
    p.lhs = choose_side(&r, p.rows, p.depth, p.batch, 0);
    p.rhs = choose_side(&r, p.depth, p.columns, p.batch, 1);
    if (element == HY_ELEMENT_S8)
        p.lhs_zero_point = -5, p.rhs_zero_point = 9, p.out_zero_point = 3;
    size_t batch = p.batch[0] * p.batch[1], count = batch * p.rows * p.columns;
    const void *lhs = tensor_random(&r, IN_SLOT, element, batch * p.rows * p.depth);
    const void *rhs = tensor_random(&r, RHS_SLOT, element, batch * p.depth * p.columns);
    void *out = tensor_blank(OUT_SLOT, element, count);

    hy_kernels_reference()->matmul[element](&p, lhs, rhs, out);
    for (size_t i = 0; i < count; i++) {
        size_t column = i % p.columns, row = i / p.columns % p.rows;
        size_t matrix = i / (p.columns * p.rows);
        double want = expected(&p, element, lhs, rhs,
                               (size_t[]){matrix / p.batch[1], matrix % p.batch[1], row, column});
        double got = tensor_at(element, out, i);
        double allowed = element == HY_ELEMENT_F32   ? 1e-5
                         : element == HY_ELEMENT_F16 ? 0x1p-8
                         : element == HY_ELEMENT_I32 ? 0
                                                     : 0.51;
        if (!(fabs(want - got) <= allowed))
            hy_test_fail(__FILE__, __LINE__, "seed %llu element %d: %zu is %g, expected %g",
                         (unsigned long long)seed, (int)element, i, got, want);
    }
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_matmul, any_order_of_either_side)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        check(seed, HY_ELEMENT_F32);
        check(seed, HY_ELEMENT_F16);
        check(seed, HY_ELEMENT_I32);
        check(seed, HY_ELEMENT_S8);
    }
}
