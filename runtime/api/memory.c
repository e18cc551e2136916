#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"
#include "runtime/memory/copy.h"
#include "runtime/memory/hardware_buffer.h"
#include "runtime/memory/memory_object.h"

int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
                                       ANeuralNetworksMemory **memory)
{
    static const char name[] = "Memory_createFromFd";
    struct hy_memory *own = NULL;
    struct hy_error err;

    if (!memory)
        return hy_api_null(name, "memory");
    enum hy_code code = hy_memory_from_fd(size, protect, fd, offset, &own, &err);
    *memory = hy_memory_handle(own);
    return hy_api_result(name, code, &err);
}

void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory)
{
    hy_memory_release(hy_memory_of(memory));
}

int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src, const ANeuralNetworksMemory *dst)
{
    static const char name[] = "Memory_copy";
    struct hy_error err;

    if (!src)
        return hy_api_null(name, "src");
    if (!dst)
        return hy_api_null(name, "dst");
    return hy_api_result(name, hy_memory_copy(hy_memory_of(src), hy_memory_of(dst), &err), &err);
}

/* ---- Hardware buffers ------------------------------------------------------------------------ */

int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer *ahwb,
                                                    ANeuralNetworksMemory **memory)
{
    static const char name[] = "Memory_createFromAHardwareBuffer";
    struct hy_memory *own = NULL;
    struct hy_error err;

    if (!memory)
        return hy_api_null(name, "memory");
    *memory = NULL;
    if (!ahwb)
        return hy_api_null(name, "ahwb");
    enum hy_code code = hy_memory_from_hardware_buffer(ahwb, &own, &err);
    *memory = hy_memory_handle(own);
    return hy_api_result(name, code, &err);
}
