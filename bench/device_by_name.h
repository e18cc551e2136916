#ifndef HY_BENCH_DEVICE_BY_NAME_H
#define HY_BENCH_DEVICE_BY_NAME_H

#include <android/NeuralNetworks.h>

#include <stdint.h>
#include <string.h>

/* The device named `wanted`, valid as long as the process; NULL: no such device. */
static inline ANeuralNetworksDevice *hy_bench_device(const char *wanted)
{
    uint32_t count = 0;

    (void)ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = "";
        if (ANeuralNetworks_getDevice(i, &device) == ANEURALNETWORKS_NO_ERROR &&
            ANeuralNetworksDevice_getName(device, &name) == ANEURALNETWORKS_NO_ERROR &&
            strcmp(name, wanted) == 0)
            return device;
    }
    return NULL;
}

#endif
