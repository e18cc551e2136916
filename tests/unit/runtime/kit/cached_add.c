#include "cached_add.h"

#include <stdio.h>
#include <string.h>

#define NO_ERROR ANEURALNETWORKS_NO_ERROR

const ANeuralNetworksDevice *device_named(const char *wanted)
{
    ANeuralNetworksDevice *device = NULL;
    uint32_t count = 0;
    const char *name = "";

    ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        if (ANeuralNetworks_getDevice(i, &device) == NO_ERROR &&
            ANeuralNetworksDevice_getName(device, &name) == NO_ERROR && strcmp(name, wanted) == 0)
            return device;
    }
    return NULL;
}

/* out[4] = a[4] + b[4] */
static ANeuralNetworksModel *make_model(void)
{
    static const uint32_t dims[] = {4};
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    const ANeuralNetworksOperandType code = {.type = ANEURALNETWORKS_INT32};
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    ANeuralNetworksModel *model = NULL;

    ANeuralNetworksModel_create(&model);
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_addOperand(model, &code);
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none);
    ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, (const uint32_t[]){0, 1, 2}, 1,
                                      (const uint32_t[]){3});
    ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (const uint32_t[]){0, 1}, 1,
                                                  (const uint32_t[]){3});
    ANeuralNetworksModel_finish(model);
    return model;
}

static void compute(ANeuralNetworksCompilation *compilation, struct cached_add *result)
{
    static const float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    float out[4] = {0};
    ANeuralNetworksExecution *execution = NULL;

    ANeuralNetworksExecution_create(compilation, &execution);
    ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof a);
    ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof b);
    ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out);
    result->code = ANeuralNetworksExecution_compute(execution);
    result->is_right = out[0] == 11 && out[1] == 22 && out[2] == 33 && out[3] == 44;
    ANeuralNetworksExecution_free(execution);
}

/* What became of the cache of the one step. */
static void read_outcome(const ANeuralNetworksCompilation *compilation, struct cached_add *result)
{
    struct halyard_plan_step step = {.struct_size = sizeof step};

    if (halyard_compilation_get_step(compilation, 0, &step) != NO_ERROR)
        return;
    result->outcome = step.cache;
    snprintf(result->reason, sizeof result->reason, "%s", step.cache_reason);
    memcpy(result->token, step.token, sizeof result->token);
}

struct cached_add cached_add_run(const ANeuralNetworksDevice *const *devices, uint32_t count,
                                 const char *cache)
{
    static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {9};
    ANeuralNetworksModel *model = make_model();
    ANeuralNetworksCompilation *compilation = NULL;
    struct cached_add result = {.outcome = HALYARD_CACHE_OFF};

    ANeuralNetworksCompilation_createForDevices(model, devices, count, &compilation);
    if (cache)
        ANeuralNetworksCompilation_setCaching(compilation, cache, token);
    result.code = ANeuralNetworksCompilation_finish(compilation);
    if (result.code == NO_ERROR) {
        read_outcome(compilation, &result);
        compute(compilation, &result);
    }
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return result;
}
