#ifndef HY_RUNTIME_HANDLE_HANDLE_H
#define HY_RUNTIME_HANDLE_HANDLE_H

/*
 * Conversions between the opaque handles of the app and the structs of the runtime. A handle is the
 * address of the struct. All conversions are in this file.
 */
#include "android/NeuralNetworks.h"

#define HY_HANDLE(api_type, own_type, name) \
    struct own_type; \
    static inline struct own_type *hy_##name##_of(const api_type *handle) \
    { \
        return (struct own_type *)(uintptr_t)handle; \
    } \
    static inline api_type *hy_##name##_handle(const struct own_type *object) \
    { \
        return (api_type *)(uintptr_t)object; \
    }

HY_HANDLE(ANeuralNetworksModel, hy_app_model, model)
HY_HANDLE(ANeuralNetworksMemory, hy_memory, memory)
HY_HANDLE(ANeuralNetworksMemoryDesc, hy_memory_desc, memory_desc)
HY_HANDLE(ANeuralNetworksDevice, hy_runtime_device, device)
HY_HANDLE(ANeuralNetworksCompilation, hy_compilation, compilation)
HY_HANDLE(ANeuralNetworksExecution, hy_execution, execution)
HY_HANDLE(ANeuralNetworksBurst, hy_burst, burst)
HY_HANDLE(ANeuralNetworksEvent, hy_event, event)

#endif
