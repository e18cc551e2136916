/* What is set for an operand: values, in buffers, in memory or as models, and scales per channel.
 */
#include "tests/scenarios/contract/kit/operand_table.h"

#include <math.h>
#include <sys/mman.h>

/* ---- Values ---------------------------------------------------------------------------------- */

/* For setOperandValue; never written. */
static const uint8_t bytes[256];

TEST(contract_operand_value, value_has_exactly_the_bytes_of_the_operand)
{
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        const ANeuralNetworksOperandType operand = legal(&types[i]);
        const size_t size = types[i].is_tensor ? 2 * types[i].bytes : types[i].bytes;
        ANeuralNetworksModel *model = model_of(1, &operand);
        const bool is_free = types[i].code == ANEURALNETWORKS_OEM_SCALAR;

        for (size_t length = 1; length <= 9; length++)
            EXPECT_CODE(code_if(is_free || length == size),
                        ANeuralNetworksModel_setOperandValue(model, 0, bytes, length));
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 0, bytes, 0));
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 0, bytes,
                                                                   (size_t)UINT32_MAX + 1 + size));
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 0, bytes, SIZE_MAX));
        EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 0, NULL, 0)); /* whatever the type */
        ANeuralNetworksModel_free(model);
    }
}

TEST(contract_operand_value, tensor_not_fully_specified_has_no_value_but_may_be_left_out)
{
    static const uint32_t dims[] = {2, 0};
    const ANeuralNetworksOperandType operands[] = {
        open_tensor,
        {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 2, .dimensions = dims},
        {.type = ANEURALNETWORKS_TENSOR_FLOAT32},
    };
    ANeuralNetworksMemory *memory = memory_of(8, PROT_READ);
    ANeuralNetworksModel *model = model_of(COUNT_OF(operands), operands);

    for (int32_t i = 0; i < (int32_t)COUNT_OF(operands); i++) {
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, i, bytes, 4));
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, i, bytes, 8));
        EXPECT_FAIL(BAD_DATA,
                    ANeuralNetworksModel_setOperandValueFromMemory(model, i, memory, 0, 8));
        EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, i, NULL, 0));
    }
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(memory);
}

TEST(contract_operand_value, index_out_of_range_is_bad_data)
{
    static const int32_t indices[] = {1, 2, -1, INT32_MAX, INT32_MIN};
    const float scale = 1;
    const ANeuralNetworksSymmPerChannelQuantParams quant = {0, 1, &scale};
    ANeuralNetworksMemory *memory = memory_of(4, PROT_READ);
    ANeuralNetworksModel *model = model_of(1, &int32_scalar);
    ANeuralNetworksModel *value = relu_model(MODEL_FINISHED);

    for (size_t i = 0; i < COUNT_OF(indices); i++) {
        const int32_t index = indices[i];
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, index, bytes, 4));
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, index, NULL, 0));
        EXPECT_FAIL(BAD_DATA,
                    ANeuralNetworksModel_setOperandValueFromMemory(model, index, memory, 0, 4));
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandValueFromModel(model, index, value));
        EXPECT_FAIL(BAD_DATA,
                    ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, index, &quant));
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandExtensionData(model, index, "x", 1));
    }
    EXPECT_CONTAINS(halyard_last_error(), "operand 2147483648 does not exist, the model has 1");
    ANeuralNetworksModel_free(value);
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(memory);
}

/* ---- Values in memory ------------------------------------------------------------------------ */

TEST(contract_operand_value, range_in_memory_lies_inside_and_has_the_exact_size)
{
    static const struct {
        size_t offset, length;
        bool allowed;
    } cases[] = {
        {0, 16, true},
        {84, 16, true}, /* the last ones */
        {88, 16, false},
        {100, 16, false},
        {0, 0, false}, /* this does not mean "the whole" here */
        {0, 12, false},
        {0, 20, false},
        {2, 16, false}, /* not a multiple of the element size */
        {SIZE_MAX, 16, false},
        {SIZE_MAX - 15, 16, false},           /* a sum that wraps around to 0 */
        {(size_t)UINT32_MAX - 15, 16, false}, /* and one that would in 32 bits */
        {0, SIZE_MAX, false},
        {0, (size_t)UINT32_MAX + 17, false},
    };
    ANeuralNetworksMemory *memory = memory_of(100, PROT_READ);
    ANeuralNetworksModel *model = model_of(1, &float_tensor);

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        EXPECT_CODE(code_if(cases[i].allowed),
                    ANeuralNetworksModel_setOperandValueFromMemory(
                        model, 0, memory, cases[i].offset, cases[i].length));
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(memory);
}

TEST(contract_operand_value, memory_for_a_value_can_be_read)
{
    static const int protections[] = {PROT_NONE, PROT_WRITE, PROT_READ, PROT_READ | PROT_WRITE};
    ANeuralNetworksModel *model = model_of(1, &float_tensor);

    for (size_t i = 0; i < COUNT_OF(protections); i++) {
        ANeuralNetworksMemory *memory = memory_of(TENSOR_SIZE, protections[i]);
        EXPECT_CODE(
            code_if(protections[i] & PROT_READ),
            ANeuralNetworksModel_setOperandValueFromMemory(model, 0, memory, 0, TENSOR_SIZE));
        EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 0, NULL, 0));
        ANeuralNetworksMemory_free(memory);
    }
    ANeuralNetworksModel_free(model);
}

/* ---- Models as values ------------------------------------------------------------------------ */

TEST(contract_operand_value, only_a_finished_model_is_a_value)
{
    const ANeuralNetworksOperandType operand = {.type = ANEURALNETWORKS_MODEL};
    ANeuralNetworksModel *values[] = {relu_model(MODEL_BUILDING), relu_model(MODEL_FINISHED),
                                      relu_model(MODEL_INVALID)};
    ANeuralNetworksModel *model = model_of(1, &operand);

    /* The state of the value is looked at before the index. */
    EXPECT_FAIL(BAD_STATE,
                ANeuralNetworksModel_setOperandValueFromModel(model, 9, values[MODEL_BUILDING]));
    EXPECT_FAIL(BAD_STATE,
                ANeuralNetworksModel_setOperandValueFromModel(model, 9, values[MODEL_INVALID]));
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksModel_setOperandValueFromModel(model, 0, model));
    EXPECT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 0, values[MODEL_FINISHED]));
    ANeuralNetworksModel_free(model);
    for (size_t i = 0; i < COUNT_OF(values); i++)
        ANeuralNetworksModel_free(values[i]);
}

TEST(contract_operand_value, only_an_operand_of_type_model_refers_to_a_model)
{
    ANeuralNetworksModel *value = relu_model(MODEL_FINISHED);

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        const ANeuralNetworksOperandType operand = legal(&types[i]);
        ANeuralNetworksModel *model = model_of(1, &operand);
        EXPECT_CODE(code_if(types[i].code == ANEURALNETWORKS_MODEL),
                    ANeuralNetworksModel_setOperandValueFromModel(model, 0, value));
        ANeuralNetworksModel_free(model);
    }
    ANeuralNetworksModel_free(value);
}

/* ---- Scales per channel ---------------------------------------------------------------------- */

TEST(contract_operand_value, scales_per_channel_fit_the_operand)
{
    static const uint32_t dims[] = {3, 2, 0};
    static const float good[] = {1, 2, 3}, zero[] = {1, 0, 1}, negative[] = {1, 1, -1},
                       nan[] = {NAN, 1, 1};
    const ANeuralNetworksOperandType operands[] = {
        {.type = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL,
         .dimensionCount = 3,
         .dimensions = dims},
        {.type = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL}, /* of unknown rank */
        float_tensor,
    };
    static const struct {
        int32_t index;
        ANeuralNetworksSymmPerChannelQuantParams quant;
        bool allowed;
    } cases[] = {
        {0, {0, 3, good}, true},  {0, {1, 2, good}, true},
        {0, {0, 3, NULL}, false}, {0, {0, 0, good}, false},
        {0, {0, 0, NULL}, false}, {2, {0, 3, good}, false}, /* another type */
        {1, {0, 1, good}, false},                           /* no dimension 0 */
        {0, {3, 3, good}, false}, {0, {UINT32_MAX, 3, good}, false},
        {0, {0, 2, good}, false}, {0, {0, UINT32_MAX, good}, false},
        {0, {2, 1, good}, false}, /* an unknown extent */
        {0, {0, 3, zero}, false}, {0, {0, 3, negative}, false},
        {0, {0, 3, nan}, false},
    };
    ANeuralNetworksModel *model = model_of(COUNT_OF(operands), operands);

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        EXPECT_CODE(code_if(cases[i].allowed),
                    ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, cases[i].index,
                                                                             &cases[i].quant));
    ANeuralNetworksModel_free(model);
}
