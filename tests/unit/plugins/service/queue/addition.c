#include "addition.h"

#include "tests/kit/test.h"

enum { A, B, NONE, SUM, OPERANDS };

ANeuralNetworksModel *addition_make(void)
{
    static const uint32_t dims[] = {ADDITION_COUNT}, in[] = {A, B, NONE}, out[] = {SUM};
    const ANeuralNetworksOperandType floats = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    const ANeuralNetworksOperandType integer = {.type = ANEURALNETWORKS_INT32};
    const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    ANeuralNetworksModel *model = NULL;

    int code = ANeuralNetworksModel_create(&model);
    for (int i = 0; i < OPERANDS; i++)
        code |= ANeuralNetworksModel_addOperand(model, i == NONE ? &integer : &floats);
    code |= ANeuralNetworksModel_setOperandValue(model, NONE, &none, sizeof none);
    code |= ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out);
    code |= ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, out);
    code |= ANeuralNetworksModel_finish(model);
    EXPECT_INT(code, ANEURALNETWORKS_NO_ERROR);
    return model;
}

static ANeuralNetworksDevice *find_device(const char *wanted)
{
    uint32_t count = 0;

    ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = "";
        ANeuralNetworks_getDevice(i, &device);
        ANeuralNetworksDevice_getName(device, &name);
        if (strcmp(name, wanted) == 0)
            return device;
    }
    return NULL;
}

ANeuralNetworksCompilation *addition_compile(ANeuralNetworksModel *model)
{
    const ANeuralNetworksDevice *device = find_device("queue-server");
    ANeuralNetworksCompilation *compilation = NULL;

    int code = ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation);
    code |= ANeuralNetworksCompilation_finish(compilation);
    EXPECT_INT(code, ANEURALNETWORKS_NO_ERROR);
    return compilation;
}

int addition_init(struct addition *addition, ANeuralNetworksCompilation *compilation)
{
    *addition = (struct addition){.a = {1, 2, 3, 4}, .b = {10, 20, 30, 40}};
    int code = ANeuralNetworksExecution_create(compilation, &addition->execution);
    if (code != ANEURALNETWORKS_NO_ERROR)
        return code;
    ANeuralNetworksExecution *execution = addition->execution;
    code = ANeuralNetworksExecution_setReusable(execution, true);
    code |= ANeuralNetworksExecution_setInput(execution, 0, NULL, addition->a, sizeof addition->a);
    code |= ANeuralNetworksExecution_setInput(execution, 1, NULL, addition->b, sizeof addition->b);
    code |=
        ANeuralNetworksExecution_setOutput(execution, 0, NULL, addition->sum, sizeof addition->sum);
    return code;
}
