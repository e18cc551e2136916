/*
 * A libneuralnetworks.so without function: its device supports every operation, every call
 * succeeds, and nothing is computed. The time of an inference with this library is the cost of the
 * client itself. The functions without any state are in answers.c.
 */
#include <android/NeuralNetworks.h>
#include <stdlib.h>
#include <string.h>

/* What every handle but a model's refers to. */
static char nothing[64];

#define NOTHING(type) ((type *)(void *)nothing)

struct model {
    uint32_t operation_count;
};

int64_t ANeuralNetworks_getRuntimeFeatureLevel(void)
{
    return ANEURALNETWORKS_FEATURE_LEVEL_8;
}

/* ---- The device ------------------------------------------------------------------------------ */

int ANeuralNetworks_getDeviceCount(uint32_t *numDevices)
{
    *numDevices = 1;
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice **device)
{
    (void)devIndex;
    *device = NOTHING(ANeuralNetworksDevice);
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device, const char **name)
{
    (void)device;
    *name = "idle";
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
                                          int64_t *featureLevel)
{
    (void)device;
    *featureLevel = ANeuralNetworks_getRuntimeFeatureLevel();
    return ANEURALNETWORKS_NO_ERROR;
}

/* ---- Models ---------------------------------------------------------------------------------- */

int ANeuralNetworksModel_create(ANeuralNetworksModel **model)
{
    struct model *made = calloc(1, sizeof *made);

    *model = (ANeuralNetworksModel *)made;
    return made ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OUT_OF_MEMORY;
}

void ANeuralNetworksModel_free(ANeuralNetworksModel *model)
{
    free(model);
}

int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
                                      ANeuralNetworksOperationType type, uint32_t inputCount,
                                      const uint32_t *inputs, uint32_t outputCount,
                                      const uint32_t *outputs)
{
    (void)type, (void)inputCount, (void)inputs, (void)outputCount, (void)outputs;
    ((struct model *)(void *)model)->operation_count++;
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksModel_getSupportedOperationsForDevices(
    const ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
    uint32_t numDevices, bool *supportedOps)
{
    (void)devices, (void)numDevices;
    memset(supportedOps, true, ((const struct model *)(const void *)model)->operation_count);
    return ANEURALNETWORKS_NO_ERROR;
}

/* ---- What else is made ----------------------------------------------------------------------- */

int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
                                       ANeuralNetworksMemory **memory)
{
    (void)size, (void)protect, (void)fd, (void)offset;
    *memory = NOTHING(ANeuralNetworksMemory);
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model,
                                      ANeuralNetworksCompilation **compilation)
{
    (void)model;
    *compilation = NOTHING(ANeuralNetworksCompilation);
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel *model,
                                                const ANeuralNetworksDevice *const *devices,
                                                uint32_t numDevices,
                                                ANeuralNetworksCompilation **compilation)
{
    (void)devices, (void)numDevices;
    return ANeuralNetworksCompilation_create(model, compilation);
}

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
                                    ANeuralNetworksExecution **execution)
{
    (void)compilation;
    *execution = NOTHING(ANeuralNetworksExecution);
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksEvent **event)
{
    (void)execution;
    *event = NOTHING(ANeuralNetworksEvent);
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
                                ANeuralNetworksBurst **burst)
{
    (void)compilation;
    *burst = NOTHING(ANeuralNetworksBurst);
    return ANEURALNETWORKS_NO_ERROR;
}
