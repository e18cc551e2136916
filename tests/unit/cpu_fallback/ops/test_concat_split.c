#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"

/* The parts that CONCATENATION, PACK and SPLIT move. */

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define Q8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM

#define DEVICES 2

static const float rows[2][3][2] = {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};

/* Tensors of shapes [2, 1, 2] and [2, 2, 2], joined along dimension 1. */
static const uint8_t first[] = {1, 2, 3, 4}, last[] = {11, 12, 13, 14, 15, 16, 17, 255};

static void concatenate(const struct hy_builder_type *last_type, const uint8_t *want,
                        uint32_t device)
{
    struct hy_builder_type type = hy_op_case_type(Q8, 3, (const uint32_t[]){2, 1, 2});
    struct hy_builder_type last_in = *last_type;
    struct hy_op_case test;
    uint8_t out[12];

    last_in.rank = 3;
    memcpy(last_in.dims, (const uint32_t[]){2, 2, 2}, 3 * sizeof *last_in.dims);
    hy_op_case_init(&test, HY_OP_CONCATENATION);
    hy_op_case_tensor(&test, &type, first, false);
    hy_op_case_tensor(&test, &last_in, last, false);
    hy_op_case_int(&test, 1);
    hy_op_case_output(&test, &type, out, sizeof out);
    EXPECT_INT(hy_op_case_run(&test, device), HY_STATUS_OK);
    EXPECT(memcmp(out, want, sizeof out) == 0);
    hy_op_case_finish(&test);
}

TEST(join, concatenation_converts_what_is_quantised_otherwise)
{
    static const uint8_t same[] = {1, 2, 11, 12, 13, 14, 3, 4, 15, 16, 17, 255};
    /* 0.75 * (q - 12) in steps of 0.5 from 5 on: halves go away from zero, the last is too large */
    static const uint8_t other[] = {1, 2, 3, 5, 7, 8, 3, 4, 10, 11, 13, 255};
    struct hy_builder_type type = hy_op_case_type(Q8, 0, NULL);

    for (uint32_t device = 0; device < DEVICES; device++) {
        concatenate(&type, same, device);
        concatenate(&(struct hy_builder_type){.type = Q8, .scale = 0.75f, .zero_point = 12}, other,
                    device);
    }
}

TEST(join, split_undoes_what_pack_did_but_for_the_dimension)
{
    struct hy_builder_type row = hy_op_case_type(F32, 2, (const uint32_t[]){3, 2});
    struct hy_builder_type all = hy_op_case_type(F32, 3, (const uint32_t[]){3, 2, 2});
    float packed[12], parts[2][6];
    struct hy_op_case test;

    for (uint32_t device = 0; device < DEVICES; device++) {
        hy_op_case_init(&test, HY_OP_PACK);
        hy_op_case_int(&test, 1);
        hy_op_case_tensor(&test, &row, rows[0], false);
        hy_op_case_tensor(&test, &row, rows[1], true);
        hy_op_case_output(&test, &all, packed, sizeof packed);
        EXPECT_INT(hy_op_case_run(&test, device), HY_STATUS_OK);
        EXPECT(packed[0] == 1 && packed[2] == 7 && packed[4] == 3 && packed[11] == 12);
        hy_op_case_finish(&test);

        hy_op_case_init(&test, HY_OP_SPLIT);
        hy_op_case_tensor(&test, &all, packed, false);
        hy_op_case_int(&test, -2);
        hy_op_case_int(&test, 2);
        hy_op_case_output(&test, &all, parts[0], sizeof parts[0]);
        hy_op_case_output(&test, &all, parts[1], sizeof parts[1]);
        EXPECT_INT(hy_op_case_run(&test, device), HY_STATUS_OK);
        EXPECT(memcmp(parts, rows, sizeof rows) == 0);
        EXPECT_INT(test.shapes[1].dims[1], 1);
        hy_op_case_finish(&test);
    }
}
