#include "tests/scenarios/clients/witness.h"

#include <dlfcn.h>
#include <halyard/halyard.h>

#include "tests/kit/test.h"

/* The functions it is asked by; this program is not linked to it. */
struct api {
    int (*get_device_count)(uint32_t *count);
    int (*get_device)(uint32_t index, ANeuralNetworksDevice **device);
    int (*get_info)(const ANeuralNetworksDevice *device, struct halyard_device_info *info);
};

static bool load_api(struct api *api)
{
    const struct {
        const char *name;
        void *member;
    } symbols[] = {
        {"ANeuralNetworks_getDeviceCount", &api->get_device_count},
        {"ANeuralNetworks_getDevice", &api->get_device},
        {"halyard_device_get_info", &api->get_info},
    };
    void *library = dlopen("libneuralnetworks.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        hy_test_fail(__FILE__, __LINE__, "%s", dlerror());
        return false;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        /* POSIX promises that a function's address fits a void pointer. */
        void *address = dlsym(library, symbols[i].name);
        if (!address) {
            hy_test_fail(__FILE__, __LINE__, "libneuralnetworks.so has no %s", symbols[i].name);
            return false;
        }
        *(void **)symbols[i].member = address;
    }
    return true;
}

static bool add_device(const struct api *api, uint32_t index, struct hy_witness *witness)
{
    struct halyard_device_info info = {.struct_size = sizeof info};
    ANeuralNetworksDevice *device = NULL;
    if (api->get_device(index, &device) != ANEURALNETWORKS_NO_ERROR ||
        api->get_info(device, &info) != ANEURALNETWORKS_NO_ERROR) {
        hy_test_fail(__FILE__, __LINE__, "device %u has no facts", index);
        return false;
    }
    witness->execution_count += info.execution_count;
    witness->operation_count += info.operation_count;
    return true;
}

bool hy_witness_ask(struct hy_witness *witness)
{
    struct api api;
    uint32_t count = 0;
    *witness = (struct hy_witness){0};
    if (!load_api(&api) || api.get_device_count(&count) != ANEURALNETWORKS_NO_ERROR)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!add_device(&api, i, witness))
            return false;
    return true;
}
