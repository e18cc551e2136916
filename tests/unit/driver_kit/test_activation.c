/* Ranges of fused activations. */
#include "driver_kit/activation.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <math.h>

TEST(activation, float_range_is_that_of_the_code)
{
    static const struct {
        int32_t code;
        float low, high;
    } cases[] = {{ANEURALNETWORKS_FUSED_NONE, -INFINITY, INFINITY},
                 {ANEURALNETWORKS_FUSED_RELU, 0, INFINITY},
                 {ANEURALNETWORKS_FUSED_RELU1, -1, 1},
                 {ANEURALNETWORKS_FUSED_RELU6, 0, 6}};
    struct hy_model_reader reader = {.model = NULL};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_value_range range;
        REQUIRE(hy_activation_range(&reader, cases[i].code, ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0,
                                    &range));
        EXPECT(range.low == cases[i].low && range.high == cases[i].high);
        EXPECT(range.quant_low == INT8_MIN && range.quant_high == INT8_MAX);
    }
}

TEST(activation, quantised_bounds_are_rounded_and_stay_in_the_type)
{
    static const struct {
        int32_t code, type;
        float scale;
        int32_t zero_point, low, high;
    } cases[] = {
        {ANEURALNETWORKS_FUSED_NONE, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .5f, 7, 0, 255},
        {ANEURALNETWORKS_FUSED_RELU, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .5f, 7, 7, 255},
        {ANEURALNETWORKS_FUSED_RELU1, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .4f, 1, 0, 4},
        {ANEURALNETWORKS_FUSED_RELU6, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 4, 254, 254, 255},
        {ANEURALNETWORKS_FUSED_RELU1, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, .4f, 0, -3, 3},
        {ANEURALNETWORKS_FUSED_RELU6, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, 1e-9f, -128, -128,
         127},
    };
    struct hy_model_reader reader = {.model = NULL};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_value_range range;
        REQUIRE(hy_activation_range(&reader, cases[i].code, cases[i].type, cases[i].scale,
                                    cases[i].zero_point, &range));
        EXPECT_INT(range.quant_low, cases[i].low);
        EXPECT_INT(range.quant_high, cases[i].high);
    }
}

TEST(activation, unknown_codes_are_refused)
{
    struct hy_model_reader reader = {.model = NULL};
    struct hy_value_range range;

    EXPECT(!hy_activation_range(&reader, 4, ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, &range));
    EXPECT_STR(reader.reason, "the activation is 4, needs 0 to 3");
    EXPECT(!hy_activation_range(&reader, -1, ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, &range));
}

TEST(activation, code_is_a_constant_of_the_model)
{
    const int32_t relu = ANEURALNETWORKS_FUSED_RELU;
    const struct hy_operand operand = {.type = ANEURALNETWORKS_INT32,
                                       .lifetime = HY_LIFETIME_CONSTANT_COPY,
                                       .location = {.length = sizeof relu}};
    const struct hy_operand output = {
        .type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .scale = 1, .zero_point = 3};
    const struct hy_subgraph graph = {
        .struct_size = sizeof graph, .operand_count = 1, .operands = &operand};
    const struct hy_model model = {.struct_size = sizeof model, .main = &graph, .values_size = 4};
    const struct hy_operation operation = {.input_count = 1, .inputs = (uint32_t[]){0}};
    struct hy_model_reader reader = {.model = &model, .values = (const uint8_t *)&relu};
    struct hy_value_range range;

    REQUIRE(hy_read_activation(&reader, &operation, 0, &output, &range));
    EXPECT_INT(range.quant_low, 3);
    EXPECT_INT(range.quant_high, UINT8_MAX);
}
