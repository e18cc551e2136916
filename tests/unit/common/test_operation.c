#include "common/operations/operation.h"
#include "tests/kit/test.h"

TEST(operation, every_code_up_to_the_last_has_a_row)
{
    EXPECT_INT(HY_OP_NNAPI_COUNT, 106);
    for (uint32_t row = 0; row < HY_OP_COUNT; row++) {
        const int32_t code = hy_op_code(row);
        const struct hy_operation_info *info = hy_operation_info(code);
        EXPECT_INT(hy_op_row(code), row);
        if (!info) {
            hy_test_fail(__FILE__, __LINE__, "no row has the code %#x", (unsigned)code);
            continue;
        }
        EXPECT_INT(info->code, code);
        EXPECT(info->feature_level >= 1 && info->feature_level <= 8);
        EXPECT(info->inputs_min >= 1 && info->inputs_min <= info->inputs_max);
        EXPECT(info->outputs_min >= 1 && info->outputs_min <= info->outputs_max);
    }
}

TEST(operation, is_found_by_its_name)
{
    const struct hy_operation_info *info = hy_operation_find("CONV_2D");
    REQUIRE(info);
    EXPECT_INT(info->code, HY_OP_CONV_2D);
    info = hy_operation_find("org.halyard.operations.CEIL");
    REQUIRE(info);
    EXPECT_INT(info->code, HY_EXT_CEIL);
    EXPECT_STR(hy_operation_name(HY_EXT_CEIL), "org.halyard.operations.CEIL");
    EXPECT(!hy_operation_find("CEIL"));
    EXPECT(!hy_operation_find("conv_2d"));
    EXPECT(!hy_operation_find(""));
}

TEST(operation, codes_outside_the_list_have_no_info_but_a_name)
{
    EXPECT(!hy_operation_info(-1));
    EXPECT(!hy_operation_info(106));
    EXPECT(!hy_operation_info(10000));
    EXPECT(!hy_operation_info(INT32_MIN));
    EXPECT_STR(hy_operation_name(HY_OP_REVERSE), "REVERSE");
    EXPECT_STR(hy_operation_name(106), "an unknown operation");
    EXPECT_STR(hy_operation_name(10000), "OEM_OPERATION");
    EXPECT_STR(hy_operation_name(0x10005), "an extension operation");
}

TEST(operation, codes_outside_the_list_have_the_last_row)
{
    EXPECT_INT(hy_op_row(HY_OP_ADD), 0);
    EXPECT_INT(hy_op_row(HY_OP_REVERSE), HY_OP_NNAPI_COUNT - 1);
    EXPECT_INT(hy_op_row(HY_EXT_CEIL), HY_OP_NNAPI_COUNT + HALYARD_CEIL);
    EXPECT_INT(hy_op_row(HY_OP_NNAPI_COUNT), HY_OP_COUNT);
    EXPECT_INT(hy_op_row(HY_OPERATIONS_CODE(HALYARD_OPERATION_COUNT)), HY_OP_COUNT);
    EXPECT_INT(hy_op_row(-1), HY_OP_COUNT);
    EXPECT_INT(hy_op_row(INT32_MIN), HY_OP_COUNT);
    EXPECT_INT(hy_op_row(0x10000), HY_OP_COUNT);
}
