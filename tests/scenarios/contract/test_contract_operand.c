/* What addOperand takes: types, scales, zero points and dimensions. */
#include "tests/scenarios/contract/kit/operand_table.h"

#include <math.h>

TEST(contract_operand, scale_follows_the_type)
{
    static const struct {
        float scale;
        bool allowed[3]; /* by rule */
    } cases[] = {
        {0, {true, false, true}},
        {0.5f, {false, true, true}},
        {0x1p-126f, {false, true, true}},
        {-0.5f, {false, false, true}},
        {NAN, {false, false, true}},
        {INFINITY, {false, false, true}}, /* no number to compute with */
    };
    ANeuralNetworksModel *model = model_of(0, NULL);

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        for (size_t k = 0; k < COUNT_OF(cases); k++) {
            ANeuralNetworksOperandType operand = legal(&types[i]);
            operand.scale = cases[k].scale;
            EXPECT_CODE(code_if(cases[k].allowed[types[i].scale]),
                        ANeuralNetworksModel_addOperand(model, &operand));
        }
    }
    ANeuralNetworksModel_free(model);
}

TEST(contract_operand, zero_point_follows_the_type)
{
    static const int32_t zero_points[] = {INT32_MIN, -129, -128, -1,    0,     1,        127,
                                          128,       255,  256,  65535, 65536, INT32_MAX};
    ANeuralNetworksModel *model = model_of(0, NULL);

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        for (size_t k = 0; k < COUNT_OF(zero_points); k++) {
            ANeuralNetworksOperandType operand = legal(&types[i]);
            operand.zeroPoint = zero_points[k];
            EXPECT_CODE(
                code_if(zero_points[k] >= types[i].zero_min && zero_points[k] <= types[i].zero_max),
                ANeuralNetworksModel_addOperand(model, &operand));
        }
    }
    ANeuralNetworksModel_free(model);
}

TEST(contract_operand, scalar_has_no_dimensions_and_a_tensor_may_lack_them)
{
    static const uint32_t two = 2;
    ANeuralNetworksModel *model = model_of(0, NULL);

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        ANeuralNetworksOperandType operand = legal(&types[i]);
        operand.dimensionCount = 1, operand.dimensions = &two;
        EXPECT_CODE(code_if(types[i].is_tensor), ANeuralNetworksModel_addOperand(model, &operand));
        operand.dimensionCount = 0, operand.dimensions = NULL;
        EXPECT_OK(ANeuralNetworksModel_addOperand(model, &operand));
        operand.dimensionCount = 1, operand.dimensions = NULL;
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperand(model, &operand));
        operand.dimensionCount = 0, operand.dimensions = &two;
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperand(model, &operand));
    }
    ANeuralNetworksModel_free(model);
}

TEST(contract_operand, type_that_does_not_exist_is_bad_data)
{
    static const int32_t codes[] = {
        16,        99,       9999, 10002, -1, 0xffff, 0x10000, /* an extension that nobody named */
        INT32_MAX, INT32_MIN};
    ANeuralNetworksModel *model = model_of(0, NULL);

    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        const ANeuralNetworksOperandType operand = {.type = codes[i]};
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperand(model, &operand));
    }
    EXPECT_CONTAINS(halyard_last_error(), "operand 0: type -2147483648 does not exist");
    ANeuralNetworksModel_free(model);
}

TEST(contract_operand, size_fits_in_32_bits_counting_known_extents)
{
    static const struct {
        int32_t type;
        uint32_t rank, dims[4];
        bool fits;
    } cases[] = {
        {ANEURALNETWORKS_TENSOR_FLOAT32, 3, {0, 65536, 16383}, true},
        {ANEURALNETWORKS_TENSOR_FLOAT32, 3, {65536, 0, 16384}, false},
        {ANEURALNETWORKS_TENSOR_FLOAT32, 2, {UINT32_MAX / 4, 1}, true},
        {ANEURALNETWORKS_TENSOR_FLOAT32, 2, {UINT32_MAX / 4 + 1, 1}, false},
        {ANEURALNETWORKS_TENSOR_BOOL8, 1, {UINT32_MAX}, true},
        {ANEURALNETWORKS_TENSOR_BOOL8, 2, {UINT32_MAX, 2}, false},
        {ANEURALNETWORKS_TENSOR_OEM_BYTE, 4, {65536, 65536, 65536, 65536}, false},
        {ANEURALNETWORKS_TENSOR_FLOAT16, 4, {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0}, false},
    };
    ANeuralNetworksModel *model = model_of(0, NULL);

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const ANeuralNetworksOperandType operand = {
            .type = cases[i].type, .dimensionCount = cases[i].rank, .dimensions = cases[i].dims};
        EXPECT_CODE(code_if(cases[i].fits), ANeuralNetworksModel_addOperand(model, &operand));
    }
    ANeuralNetworksModel_free(model);
}

/* A limit of ours, which is told. */
TEST(contract_operand, rank_has_a_limit)
{
    uint32_t dims[17] = {0};
    ANeuralNetworksOperandType operand = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 16, .dimensions = dims};
    ANeuralNetworksModel *model = model_of(0, NULL);

    EXPECT_OK(ANeuralNetworksModel_addOperand(model, &operand));
    operand.dimensionCount = 17;
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperand(model, &operand));
    EXPECT_CONTAINS(halyard_last_error(), "rank 17 is above the limit of 16");
    operand.dimensionCount = UINT32_MAX; /* more than there is to read */
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperand(model, &operand));
    ANeuralNetworksModel_free(model);
}

TEST(contract_operand, refused_operand_takes_no_index)
{
    const ANeuralNetworksOperandType wrong = {.type = 99};
    ANeuralNetworksModel *model = model_of(1, &int32_scalar);

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperand(model, &wrong));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 1, NULL, 0));
    EXPECT_OK(ANeuralNetworksModel_addOperand(model, &int32_scalar));
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 1, NULL, 0));
    ANeuralNetworksModel_free(model);
}

TEST(contract_operand, type_and_dimensions_need_not_outlive_the_call)
{
    ANeuralNetworksModel *model = model_of(0, NULL);
    uint32_t dims[] = {2, 3};
    ANeuralNetworksOperandType operand = {
        .type = ANEURALNETWORKS_TENSOR_BOOL8, .dimensionCount = 2, .dimensions = dims};

    EXPECT_OK(ANeuralNetworksModel_addOperand(model, &operand));
    dims[0] = 100;
    memset(&operand, 0xff, sizeof operand);
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 0, "6bytes", 6));
    ANeuralNetworksModel_free(model);
}
