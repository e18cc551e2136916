/* An app of one driver's device, "planted": a sum of two tensors, and what was said in the end. */
#include <android/NeuralNetworks.h>
#include <halyard/halyard.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 3 };

/* Operands, by the order in which they are added. */
enum { A, B, ACTIVATION, SUM };

static const ANeuralNetworksDevice *find_device(void)
{
    uint32_t count = 0;

    ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = "";
        ANeuralNetworks_getDevice(i, &device);
        ANeuralNetworksDevice_getName(device, &name);
        if (strcmp(name, "planted") == 0)
            return device;
    }
    return NULL;
}

static ANeuralNetworksModel *make_model(void)
{
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    const uint32_t extents[] = {COUNT};
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = extents};
    const ANeuralNetworksOperandType scalar = {.type = ANEURALNETWORKS_INT32};
    ANeuralNetworksModel *model = NULL;

    ANeuralNetworksModel_create(&model);
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_addOperand(model, &scalar);
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_setOperandValue(model, ACTIVATION, &none, sizeof none);
    ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3,
                                      (const uint32_t[]){A, B, ACTIVATION}, 1,
                                      (const uint32_t[]){SUM});
    ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (const uint32_t[]){A, B}, 1,
                                                  (const uint32_t[]){SUM});
    ANeuralNetworksModel_finish(model);
    return model;
}

static int run(ANeuralNetworksCompilation *compilation)
{
    const float a[COUNT] = {1, 2, 3}, b[COUNT] = {10, 20, 30};
    ANeuralNetworksExecution *execution = NULL;
    float sum[COUNT] = {0};

    int result = ANeuralNetworksExecution_create(compilation, &execution);
    if (result != ANEURALNETWORKS_NO_ERROR)
        return result;
    ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof a);
    ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof b);
    ANeuralNetworksExecution_setOutput(execution, 0, NULL, sum, sizeof sum);
    result = ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    return result;
}

int main(void)
{
    const ANeuralNetworksDevice *device = find_device();
    ANeuralNetworksCompilation *compilation = NULL;
    if (!device)
        return 0; /* the log says why */

    ANeuralNetworksModel *model = make_model();
    int result = ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksCompilation_finish(compilation);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = run(compilation);
    printf("%s\n", result == ANEURALNETWORKS_NO_ERROR ? "all is well" : halyard_last_error());
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return 0;
}
