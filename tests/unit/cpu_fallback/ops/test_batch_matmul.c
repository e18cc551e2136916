/* BATCH_MATMUL in panels against the plain kernel: any shapes, sides that lie either way. */
#include <android/NeuralNetworksTypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/operations/operation.h"
#include "common/random.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define S8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED
#define S16 ANEURALNETWORKS_TENSOR_QUANT16_SYMM

enum { HALYARD_CPU, REFERENCE, DEVICES, CASES = 60 };

struct product {
    int32_t type;
    uint32_t rank, batch[2], rows, depth, columns;
    bool lhs_adjoint, rhs_adjoint;
    bool repeats; /* the right side has one matrix for all */
};

static size_t matrices(const struct product *product)
{
    return (size_t)product->batch[0] * product->batch[1];
}

/* The type of one side, or of the product, with `matrices` of its own. */
static struct hy_builder_type side(const struct product *product, uint32_t rows, uint32_t columns,
                                   bool once)
{
    const uint32_t dims[4] = {once ? 1 : product->batch[0], once ? 1 : product->batch[1], rows,
                              columns};
    return hy_op_case_type(product->type, product->rank, dims + 4 - product->rank);
}

static void fill(struct hy_random *random, const struct product *product, size_t count,
                 void *values)
{
    for (size_t i = 0; i < count; i++) {
        if (product->type == F32)
            ((float *)values)[i] = hy_random_real(random, -1, 1);
        else if (product->type == S16)
            ((int16_t *)values)[i] = (int16_t)hy_random_next(random);
        else
            ((int8_t *)values)[i] = (int8_t)hy_random_between(random, -128, 127);
    }
}

static void run(const struct product *product, uint32_t device, const void *lhs, const void *rhs,
                void *out, size_t bytes)
{
    const uint32_t r = product->rows, d = product->depth, c = product->columns;
    struct hy_builder_type left =
        side(product, product->lhs_adjoint ? d : r, product->lhs_adjoint ? r : d, false);
    struct hy_builder_type right =
        side(product, product->rhs_adjoint ? c : d, product->rhs_adjoint ? d : c, product->repeats);
    struct hy_builder_type result = side(product, r, c, false);
    struct hy_op_case test;

    if (product->type == S8) { /* sums of up to 200 terms fill the range */
        left.zero_point = 3;
        right.zero_point = -7;
        left.scale = right.scale = 0.05f;
        result.scale = 1.7f;
    } else if (product->type == S16) {
        left.zero_point = right.zero_point = result.zero_point = 0;
        left.scale = right.scale = 0.0002f;
        result.scale = 0.002f;
    }
    hy_op_case_init(&test, product->type == S16 ? HY_EXT_BATCH_MATMUL : HY_OP_BATCH_MATMUL);
    hy_op_case_tensor(&test, &left, lhs, false);
    hy_op_case_tensor(&test, &right, rhs, false);
    hy_op_case_bool(&test, product->lhs_adjoint);
    hy_op_case_bool(&test, product->rhs_adjoint);
    hy_op_case_output(&test, &result, out, bytes);
    if (hy_op_case_run(&test, device) != HY_STATUS_OK)
        hy_test_fail(__FILE__, __LINE__, "device %u: %s", device, test.message);
    hy_op_case_finish(&test);
}

static size_t element_size(const struct product *product)
{
    return product->type == F32 ? sizeof(float) : product->type == S16 ? sizeof(int16_t) : 1;
}

static double element(const struct product *product, const void *values, size_t i)
{
    return product->type == F32   ? ((const float *)values)[i]
           : product->type == S16 ? ((const int16_t *)values)[i]
                                  : ((const int8_t *)values)[i];
}

static void compare(const struct product *product, size_t count, const void *want, const void *got,
                    int seed)
{
    for (size_t i = 0; i < count; i++) {
        const double a = element(product, want, i), b = element(product, got, i);
        /* Two orders of adding `depth` products of at most 1. */
        const double most = product->type == F32 ? product->depth * product->depth * 0x1p-23 : 0;
        if (fabs(a - b) > most) {
            hy_test_fail(__FILE__, __LINE__, "seed %d, [%u, %u] [%u, %u, %u], element %zu: %g, %g",
                         seed, product->batch[0], product->batch[1], product->rows, product->depth,
                         product->columns, i, a, b);
            return;
        }
    }
}

static void compare_devices(const struct product *product, int seed)
{
    struct hy_random random = {(uint64_t)seed};
    const size_t size = element_size(product), n = matrices(product);
    const size_t left = n * product->rows * product->depth;
    const size_t right = n * product->depth * product->columns;
    const size_t count = n * product->rows * product->columns;
    void *lhs = malloc(left * size), *rhs = malloc(right * size);
    void *outs[DEVICES] = {malloc(count * size), malloc(count * size)};

    EXPECT(lhs && rhs && outs[0] && outs[1]);
    fill(&random, product, left, lhs);
    fill(&random, product, right, rhs);
    for (uint32_t device = 0; device < DEVICES; device++)
        run(product, device, lhs, rhs, outs[device], count * size);
    compare(product, count, outs[REFERENCE], outs[HALYARD_CPU], seed);
    free(lhs);
    free(rhs);
    free(outs[0]);
    free(outs[1]);
}

static void compare_random(int32_t type)
{
    for (int seed = 1; seed <= CASES; seed++) {
        struct hy_random random = {(uint64_t)seed << 32};
        const uint32_t rank = (uint32_t)hy_random_between(&random, 2, 4);
        struct product product = {
            .type = type,
            .rank = rank,
            .batch = {rank == 4 ? (uint32_t)hy_random_between(&random, 1, 3) : 1,
                      rank >= 3 ? (uint32_t)hy_random_between(&random, 1, 3) : 1},
            .rows = (uint32_t)hy_random_between(&random, 1, 40),
            .depth = (uint32_t)hy_random_between(&random, 1, 70),
            .columns = (uint32_t)hy_random_between(&random, 1, 70),
            .lhs_adjoint = hy_random_one_in(&random, 2),
            .rhs_adjoint = hy_random_one_in(&random, 2),
            .repeats = hy_random_one_in(&random, 3),
        };
        compare_devices(&product, seed);
    }
}

TEST(batch_matmul, panels_give_the_products_of_the_plain_kernel_for_floats)
{
    compare_random(F32);
}

TEST(batch_matmul, panels_give_the_bytes_of_the_plain_kernel_for_int8)
{
    compare_random(S8);
}

TEST(batch_matmul, panels_give_the_numbers_of_the_plain_kernel_for_int16)
{
    compare_random(S16);
}

/* Heads of attention: work enough that several threads share it. */
TEST(batch_matmul, many_matrices_come_out_in_their_places)
{
    static const int32_t types[] = {S8, S16};

    for (int i = 0; i < 2; i++) {
        const struct product product = {
            .type = types[i], .rank = 4, .batch = {2, 6}, .rows = 64, .depth = 64, .columns = 96};
        compare_devices(&product, 1);
    }
}
