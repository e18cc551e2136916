#include "sum_model.h"

#include <stddef.h>

ANeuralNetworksModel *sum_model(uint32_t count)
{
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &count};
    const ANeuralNetworksOperandType scalar = {.type = ANEURALNETWORKS_INT32};
    const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    const uint32_t inputs[] = {0, 1, 2}, output = 3;
    ANeuralNetworksModel *model = NULL;

    if (ANeuralNetworksModel_create(&model) != ANEURALNETWORKS_NO_ERROR)
        return NULL;
    int failed = 0;
    for (int i = 0; i < 4; i++)
        failed |= ANeuralNetworksModel_addOperand(model, i == 2 ? &scalar : &tensor);
    failed |= ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none);
    failed |= ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, &output);
    failed |= ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, inputs, 1, &output);
    failed |= ANeuralNetworksModel_finish(model);
    if (failed == 0)
        return model;
    ANeuralNetworksModel_free(model);
    return NULL;
}
