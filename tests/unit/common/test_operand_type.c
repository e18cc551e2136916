#include "common/operations/operand_type.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksOEM.h>
#include <math.h>

TEST(operand_type, facts_are_found_by_code_and_by_letter)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(ANEURALNETWORKS_TENSOR_FLOAT16);
    REQUIRE(info);
    EXPECT_STR(info->name, "TENSOR_FLOAT16");
    EXPECT_INT(info->element_bytes, 2);
    EXPECT(!info->is_scalar);
    EXPECT(hy_operand_type_of_letter('H') == info);
    EXPECT(hy_operand_type_of_letter('i')->is_scalar);
    EXPECT_INT(hy_operand_type_info(ANEURALNETWORKS_TENSOR_OEM_BYTE)->element_bytes, 1);
}

TEST(operand_type, facts_are_found_by_name)
{
    const struct hy_operand_type_info *info = hy_operand_type_find("TENSOR_QUANT8_ASYMM");
    REQUIRE(info);
    EXPECT_INT(info->code, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM);
    info = hy_operand_type_find("org.halyard.operations.TENSOR_INT64");
    REQUIRE(info);
    EXPECT_INT(info->code, HY_TENSOR_INT64);
    EXPECT_INT(info->element_bytes, 8);
    EXPECT(!info->is_scalar);
    EXPECT(hy_operand_type_of_letter('L') == info);
    EXPECT(hy_operand_type_info(HY_TENSOR_INT64) == info);
    EXPECT(!hy_operand_type_find("TENSOR_QUANT9_ASYMM"));
    EXPECT(!hy_operand_type_find(""));
}

TEST(operand_type, codes_that_do_not_exist_have_no_facts)
{
    EXPECT(!hy_operand_type_info(-1));
    EXPECT(!hy_operand_type_info(16));
    EXPECT(!hy_operand_type_info(10002));
    EXPECT(!hy_operand_type_info(0x10000));
    EXPECT(!hy_operand_type_of_letter('-') || hy_operand_type_of_letter('-')->code >= 10000);
    EXPECT(!hy_operand_type_of_letter('\0'));
    EXPECT_INT(hy_operand_type_bytes(16), 0);
    EXPECT_STR(hy_operand_type_name(16), "an unknown type");
    EXPECT_STR(hy_operand_type_name(0x10001), "an extension type");
}

TEST(operand_type, types_of_signatures_have_rows)
{
    for (uint32_t row = 0; row < HY_TYPE_ROWS; row++) {
        EXPECT_INT(hy_type_row(hy_type_code(row)), row);
        REQUIRE(hy_operand_type_info(hy_type_code(row)));
        EXPECT_INT(hy_operand_type_info(hy_type_code(row))->code, hy_type_code(row));
    }
    EXPECT_INT(hy_type_row(10000), HY_TYPE_ROWS);
    EXPECT_INT(hy_type_row(HY_OPERATIONS_CODE(HALYARD_OPERAND_TYPE_COUNT)), HY_TYPE_ROWS);
    EXPECT_INT(hy_type_row(-1), HY_TYPE_ROWS);
}

static enum hy_code check(int32_t code, float scale, int32_t zero_point)
{
    struct hy_error err;
    return hy_operand_type_check_quant(code, scale, zero_point, &err);
}

TEST(operand_type, zero_points_are_held_to_the_range_of_the_type)
{
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, 255), HY_OK);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, 256), HY_BAD_DATA);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, -1), HY_BAD_DATA);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, 1, -128), HY_OK);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, 1, 128), HY_BAD_DATA);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_QUANT16_ASYMM, 1, 65535), HY_OK);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_QUANT16_SYMM, 1, 1), HY_BAD_DATA);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_INT32, 1, 1), HY_BAD_DATA);
    EXPECT_INT(check(ANEURALNETWORKS_FLOAT32, 0, 1), HY_BAD_DATA);
}

TEST(operand_type, scales_are_held_to_the_rule_of_the_type)
{
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0, 0), HY_BAD_DATA);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, -1, 0), HY_BAD_DATA);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, NAN, 0), HY_BAD_DATA);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, INFINITY, 0), HY_BAD_DATA);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_INT32, 0, 0), HY_OK);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_INT32, 0.5f, 0), HY_OK);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_INT32, -0.5f, 0), HY_BAD_DATA);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 0, 0), HY_OK);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 1, 0), HY_BAD_DATA);
    EXPECT_INT(check(ANEURALNETWORKS_TENSOR_FLOAT32, 1, 0), HY_BAD_DATA);
    EXPECT_INT(check(ANEURALNETWORKS_OEM_SCALAR, -7, 9999), HY_OK);
    EXPECT_INT(check(0x10001, 0, 0), HY_OK);
    EXPECT_INT(check(0x10001, 1, 0), HY_BAD_DATA);
    EXPECT_INT(check(16, 0, 0), HY_BAD_DATA);
}

TEST(operand_type, a_refusal_names_type_and_numbers)
{
    struct hy_error err;
    enum hy_code code =
        hy_operand_type_check_quant(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, 256, &err);
    EXPECT_INT(code, HY_BAD_DATA);
    EXPECT_STR(err.text, "TENSOR_QUANT8_ASYMM: zero point is 256, must be in 0..255");
    code = hy_operand_type_check_quant(ANEURALNETWORKS_TENSOR_QUANT8_SYMM, 0, 0, &err);
    EXPECT_INT(code, HY_BAD_DATA);
    EXPECT_STR(err.text, "TENSOR_QUANT8_SYMM: scale is 0, must be above 0");
}
