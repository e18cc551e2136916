#include "bench/plan/random_graph.h"

#include "tools/api_result.h"

/* Operand 0 is the input, 1 the activation; each operation adds one operand. */
enum { INPUT, ACTIVATION, FIRST_RESULT };

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static enum hy_code add_operands(ANeuralNetworksModel *model, uint32_t count, struct hy_error *err)
{
    static const uint32_t dims[] = {1, 8, 8, 16};
    static const int32_t no_activation = ANEURALNETWORKS_FUSED_NONE;
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 4, .dimensions = dims};
    const ANeuralNetworksOperandType scalar = {.type = ANEURALNETWORKS_INT32};

    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < FIRST_RESULT + count; i++)
        code = hy_api_result(
            ANeuralNetworksModel_addOperand(model, i == ACTIVATION ? &scalar : &tensor),
            "Model_addOperand", err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksModel_setOperandValue(model, ACTIVATION, &no_activation,
                                                                  sizeof no_activation),
                             "Model_setOperandValue", err);
    return code;
}

/* Operation `index` reads the result of the previous operation and an older result. */
static enum hy_code add_operation(ANeuralNetworksModel *model, uint32_t index, uint32_t reach,
                                  uint64_t *state, struct hy_error *err)
{
    static const ANeuralNetworksOperationType types[] = {
        ANEURALNETWORKS_ADD, ANEURALNETWORKS_MUL, ANEURALNETWORKS_LOGISTIC, ANEURALNETWORKS_TANH};
    const ANeuralNetworksOperationType type = types[next_random(state) % 4];
    const bool has_two = type == ANEURALNETWORKS_ADD || type == ANEURALNETWORKS_MUL;
    /* `reach` is 1 or more. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    const uint32_t back = next_random(state) % (index < reach ? index + 1 : reach);
    const uint32_t older = index - back;
    const uint32_t inputs[] = {index ? FIRST_RESULT + index - 1 : INPUT,
                               older ? FIRST_RESULT + older - 1 : INPUT, ACTIVATION};
    const uint32_t output = FIRST_RESULT + index;
    return hy_api_result(
        ANeuralNetworksModel_addOperation(model, type, has_two ? 3 : 1, inputs, 1, &output),
        "Model_addOperation", err);
}

static enum hy_code build(ANeuralNetworksModel *model, uint32_t count, uint32_t reach,
                          struct hy_error *err)
{
    const uint32_t input = INPUT, output = FIRST_RESULT + count - 1;
    uint64_t state = 0x68616c79617264;

    enum hy_code code = add_operands(model, count, err);
    for (uint32_t i = 0; code == HY_OK && i < count; i++)
        code = add_operation(model, i, reach, &state, err);
    if (code == HY_OK)
        code = hy_api_result(
            ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &input, 1, &output),
            "Model_identifyInputsAndOutputs", err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksModel_finish(model), "Model_finish", err);
    return code;
}

enum hy_code hy_random_graph_make(uint32_t operations, uint32_t reach, ANeuralNetworksModel **out,
                                  struct hy_error *err)
{
    ANeuralNetworksModel *model = NULL;
    enum hy_code code = hy_api_result(ANeuralNetworksModel_create(&model), "Model_create", err);
    if (code == HY_OK)
        code = build(model, operations, reach, err);
    if (code != HY_OK) {
        ANeuralNetworksModel_free(model);
        return code;
    }
    *out = model;
    return HY_OK;
}
