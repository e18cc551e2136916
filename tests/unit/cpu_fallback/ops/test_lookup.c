#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "cpu_fallback/kernels/farmhash.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"

/* Rows found by numbers that are only known at run time: GATHER, EMBEDDING_LOOKUP,
 * HASHTABLE_LOOKUP, LSH_PROJECTION. */

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define I32 ANEURALNETWORKS_TENSOR_INT32
#define Q8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM

#define DEVICES 2

static const float grid[2][3][2] = {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};

static int32_t gather(struct hy_op_case *test, const int32_t *indices, float *out, uint32_t device)
{
    struct hy_builder_type type = hy_op_case_type(F32, 3, (const uint32_t[]){2, 3, 2});

    hy_op_case_init(test, HY_OP_GATHER);
    hy_op_case_tensor(test, &type, grid, false);
    hy_op_case_int(test, -2);
    hy_op_case_ints(test, 2, (const uint32_t[]){2, 1}, indices, false);
    type.rank = 4;
    hy_op_case_output(test, &type, out, 8 * sizeof *out);
    int32_t status = hy_op_case_run(test, device);
    hy_op_case_finish(test);
    return status;
}

TEST(lookup, gather_takes_parts_along_an_axis)
{
    static const float want[] = {5, 6, 1, 2, 11, 12, 7, 8};
    struct hy_op_case test;
    float out[8];

    for (uint32_t device = 0; device < DEVICES; device++) {
        EXPECT_INT(gather(&test, (const int32_t[]){2, 0}, out, device), HY_STATUS_OK);
        EXPECT(memcmp(out, want, sizeof out) == 0);
        EXPECT_INT(test.shapes[0].dims[1], 2);
        EXPECT_INT(test.shapes[0].dims[2], 1);
    }
}

TEST(lookup, gather_refuses_an_index_outside)
{
    struct hy_op_case test;
    float out[8];

    EXPECT_INT(gather(&test, (const int32_t[]){0, 3}, out, 0), HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(test.message, "element 1 of input 2 is 3, needs 0 to 2");
    EXPECT_INT(gather(&test, (const int32_t[]){-1, 0}, out, 1), HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(test.message, "element 0 of input 2 is -1");
}

static int32_t embed(struct hy_op_case *test, const int32_t *rows, float *out, uint32_t device)
{
    struct hy_builder_type type = hy_op_case_type(F32, 2, (const uint32_t[]){6, 2});

    hy_op_case_init(test, HY_OP_EMBEDDING_LOOKUP);
    hy_op_case_ints(test, 1, (const uint32_t[]){3}, rows, false);
    hy_op_case_tensor(test, &type, grid, false);
    hy_op_case_output(test, &type, out, 6 * sizeof *out);
    int32_t status = hy_op_case_run(test, device);
    hy_op_case_finish(test);
    return status;
}

TEST(lookup, embedding_takes_rows_and_refuses_others)
{
    static const float want[] = {11, 12, 1, 2, 11, 12};
    struct hy_op_case test;
    float out[6];

    for (uint32_t device = 0; device < DEVICES; device++) {
        EXPECT_INT(embed(&test, (const int32_t[]){5, 0, 5}, out, device), HY_STATUS_OK);
        EXPECT(memcmp(out, want, sizeof out) == 0);
        EXPECT_INT(embed(&test, (const int32_t[]){5, 0, INT32_MIN}, out, device),
                   HY_STATUS_GENERAL_FAILURE);
        EXPECT_INT(embed(&test, (const int32_t[]){6, 0, 0}, out, device),
                   HY_STATUS_GENERAL_FAILURE);
    }
}

TEST(lookup, hashtable_tells_hits_and_clears_misses)
{
    static const int32_t keys[] = {-7, 0, 3, 3000000}, wanted[] = {3000000, 1, -7, INT32_MAX, 3};
    static const uint8_t values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const uint8_t want[] = {7, 8, 0, 0, 1, 2, 0, 0, 5, 6}, want_hits[] = {1, 0, 1, 0, 1};
    struct hy_builder_type type = hy_op_case_type(Q8, 2, (const uint32_t[]){4, 2});
    struct hy_builder_type hit_type = {.type = Q8, .scale = 1, .rank = 1};
    uint8_t out[10], hits[5];
    struct hy_op_case test;

    for (uint32_t device = 0; device < DEVICES; device++) {
        memset(out, 99, sizeof out);
        hy_op_case_init(&test, HY_OP_HASHTABLE_LOOKUP);
        hy_op_case_ints(&test, 1, (const uint32_t[]){5}, wanted, false);
        hy_op_case_ints(&test, 1, (const uint32_t[]){4}, keys, false);
        hy_op_case_tensor(&test, &type, values, false);
        hy_op_case_output(&test, &type, out, sizeof out);
        hy_op_case_output(&test, &hit_type, hits, sizeof hits);
        EXPECT_INT(hy_op_case_run(&test, device), HY_STATUS_OK);
        EXPECT(memcmp(out, want, sizeof out) == 0);
        EXPECT(memcmp(hits, want_hits, sizeof hits) == 0);
        hy_op_case_finish(&test);
    }
}

/* The bit of one seed, from the definition. */
static int32_t lsh_bit(float seed, const int32_t *rows, uint32_t count, const float *weights)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint8_t key[8];
        memcpy(key, &seed, 4);
        memcpy(key + 4, &rows[i], 4);
        sum += (weights ? (double)weights[i] : 1) * (double)(int64_t)hy_farmhash_64(key, 8);
    }
    return sum > 0;
}

static void check_lsh(int32_t type, uint32_t device)
{
    static const float seeds[2][3] = {{0.123f, 0.456f, -2}, {0.321f, 7, 1e9f}},
                       weights[] = {1, -2, 3};
    static const int32_t rows[] = {12345, 54321, -1};
    struct hy_builder_type seed_type = hy_op_case_type(F32, 2, (const uint32_t[]){2, 3});
    struct hy_builder_type weight_type = hy_op_case_type(F32, 1, (const uint32_t[]){3});
    struct hy_builder_type out_type = {.type = I32, .rank = 1};
    bool is_dense = type == 2;
    int32_t out[6] = {0}, sum[2] = {0, type == 3 ? 8 : 0};
    struct hy_op_case test;

    hy_op_case_init(&test, HY_OP_LSH_PROJECTION);
    hy_op_case_tensor(&test, &seed_type, seeds, false);
    hy_op_case_ints(&test, 1, (const uint32_t[]){3}, rows, false);
    if (is_dense)
        hy_op_case_tensor(&test, &weight_type, weights, false);
    else
        hy_op_case_no_value(&test, F32);
    hy_op_case_int(&test, type);
    hy_op_case_output(&test, &out_type, out, sizeof out);
    EXPECT_INT(hy_op_case_run(&test, device), HY_STATUS_OK);
    EXPECT_INT(test.shapes[0].dims[0], is_dense ? 6 : 2);
    for (uint32_t i = 0; i < 6; i++) {
        int32_t bit = lsh_bit(seeds[i / 3][i % 3], rows, 3, is_dense ? weights : NULL);
        sum[i / 3] += bit << (2 - i % 3);
        if (is_dense)
            EXPECT_INT(out[i], bit);
    }
    for (uint32_t i = 0; i < 2 && !is_dense; i++)
        EXPECT_INT(out[i], sum[i]);
    hy_op_case_finish(&test);
}

TEST(lookup, lsh_projection_hashes_seeds_with_rows)
{
    for (uint32_t device = 0; device < DEVICES; device++) {
        for (int32_t type = 1; type <= 3; type++)
            check_lsh(type, device);
    }
}
