#include "fake_sl.h"

#include <stdio.h>

static char devices[64];

const char *fake_device_name(const ANeuralNetworksDevice *device)
{
    static char names[64][16];
    const long index = (const char *)device - devices;
    snprintf(names[index], sizeof names[index], index ? "fake-npu-%ld" : "fake-npu", index);
    return names[index];
}

static bool is_spared(const ANeuralNetworksDevice *device)
{
    return fake_state.bad_device && (const char *)device - devices != fake_state.bad_device;
}

#define DEVICE_CALL(name) \
    do { \
        if (!is_spared(device)) \
            CALL(name, ""); \
    } while (0)

int fake_getDeviceCount(uint32_t *count)
{
    CALL("getDeviceCount", "");
    *count = fake_state.device_count ? fake_state.device_count : 1;
    return 0;
}

int fake_getDevice(uint32_t index, ANeuralNetworksDevice **device)
{
    CALL("getDevice", " %u", index);
    *device = (ANeuralNetworksDevice *)&devices[index];
    return 0;
}

int fake_Device_getName(const ANeuralNetworksDevice *device, const char **name)
{
    DEVICE_CALL("Device_getName");
    *name = fake_device_name(device);
    return 0;
}

int fake_Device_getVersion(const ANeuralNetworksDevice *device, const char **version)
{
    DEVICE_CALL("Device_getVersion");
    *version = "9.1";
    return 0;
}

int fake_Device_getType(const ANeuralNetworksDevice *device, int32_t *type)
{
    DEVICE_CALL("Device_getType");
    *type = fake_state.device_type;
    return 0;
}

int fake_Device_getFeatureLevel(const ANeuralNetworksDevice *device, int64_t *level)
{
    DEVICE_CALL("Device_getFeatureLevel");
    *level = fake_state.device_level ? fake_state.device_level : ANEURALNETWORKS_FEATURE_LEVEL_8;
    return 0;
}

int fake_Device_wait(const ANeuralNetworksDevice *device)
{
    DEVICE_CALL("Device_wait");
    return 0;
}

int fake_Device_getNumberOfCacheFilesNeeded(const ANeuralNetworksDevice *device, uint32_t *models,
                                            uint32_t *data)
{
    DEVICE_CALL("Device_getNumberOfCacheFilesNeeded");
    *models = 2;
    *data = 1;
    return 0;
}

int fake_Device_getPerformanceInfo(const ANeuralNetworksDevice *device, int32_t kind,
                                   SL_ANeuralNetworksPerformanceInfo *info)
{
    DEVICE_CALL("Device_getPerformanceInfo");
    info->execTime = (float)kind + 0.25f;
    info->powerUsage = (float)kind + 0.5f;
    return 0;
}

int fake_Device_forEachOperandPerformanceInfo(
    const ANeuralNetworksDevice *device, void *context,
    void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo info, void *context))
{
    DEVICE_CALL("Device_forEachOperandPerformanceInfo");
    for (uint32_t i = fake_state.figure_count; i > 0; i--) {
        const SL_ANeuralNetworksOperandPerformanceInfo info = {
            .operandType = (int32_t)i - 1, .performanceInfo = {(float)i, (float)i * 2}};
        callback(info, context);
    }
    return 0;
}

int fake_Device_getVendorExtensionCount(const ANeuralNetworksDevice *device, uint32_t *count)
{
    DEVICE_CALL("Device_getVendorExtensionCount");
    *count = fake_state.extension_types > 0;
    return 0;
}

int fake_Device_getVendorExtensionName(const ANeuralNetworksDevice *device, uint32_t index,
                                       const char **name)
{
    DEVICE_CALL("Device_getVendorExtensionName");
    (void)index;
    *name = "com.acme.fft";
    return 0;
}

int fake_Device_forEachVendorExtensionOperandTypeInformation(
    const ANeuralNetworksDevice *device, uint32_t index, void *context,
    void (*callback)(SL_ANeuralNetworksExtensionOperandTypeInformation info, void *context))
{
    DEVICE_CALL("Device_forEachVendorExtensionOperandTypeInformation");
    (void)index;
    for (uint32_t i = 0; i < fake_state.extension_types; i++) {
        const SL_ANeuralNetworksExtensionOperandTypeInformation info = {
            .byteSize = 4 * (i + 1), .type = (uint16_t)i, .isTensor = i % 2 == 0};
        callback(info, context);
    }
    return 0;
}
