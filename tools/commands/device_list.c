#include "tools/commands/device_list.h"

#include <stdlib.h>

#include "halyard/driver.h"
#include "tools/api_result.h"

const char *hy_pool_kind_name(uint32_t kind)
{
    switch (kind) {
    case HY_POOL_HOST:
        return "host";
    case HY_POOL_ASHMEM:
        return "ashmem";
    case HY_POOL_MMAP_FD:
        return "mmap_fd";
    case HY_POOL_HARDWARE_BUFFER_BLOB:
        return "hardware_buffer_blob";
    case HY_POOL_HARDWARE_BUFFER:
        return "hardware_buffer";
    case HY_POOL_BUFFER:
        return "buffer";
    default:
        return NULL;
    }
}

static const char *type_name(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_DEVICE_OTHER:
        return "other";
    case ANEURALNETWORKS_DEVICE_CPU:
        return "cpu";
    case ANEURALNETWORKS_DEVICE_GPU:
        return "gpu";
    case ANEURALNETWORKS_DEVICE_ACCELERATOR:
        return "accelerator";
    default:
        return "unknown";
    }
}

static const char *kind_name(int32_t kind)
{
    switch (kind) {
    case HALYARD_DEVICE_BUILT_IN:
        return "built-in";
    case HALYARD_DEVICE_IN_PROCESS:
        return "in-process";
    case HALYARD_DEVICE_SERVICE:
        return "service";
    default:
        return "unknown";
    }
}

/* Levels 1 to 5 are 27 to 31, after Android's API levels; later levels are 1000006 and so on. */
static unsigned level_number(int64_t level)
{
    if (level >= ANEURALNETWORKS_FEATURE_LEVEL_6)
        return (unsigned)(level - ANEURALNETWORKS_FEATURE_LEVEL_6) + 6;
    if (level >= ANEURALNETWORKS_FEATURE_LEVEL_1)
        return (unsigned)(level - ANEURALNETWORKS_FEATURE_LEVEL_1) + 1;
    return 0;
}

static enum hy_code read_device(uint32_t index, struct hy_listed_device *entry,
                                struct hy_error *err)
{
    ANeuralNetworksDevice *device = NULL;
    enum hy_code code = hy_api_result(ANeuralNetworks_getDevice(index, &device), "getDevice", err);
    if (code != HY_OK)
        return code;

    entry->info.struct_size = sizeof entry->info;
    code = hy_api_result(halyard_device_get_info(device, &entry->info), "device_get_info", err);
    if (code != HY_OK)
        return code;
    entry->handle = device;
    entry->type = type_name(entry->info.type);
    entry->kind = kind_name(entry->info.kind);
    entry->level = level_number(entry->info.feature_level);
    return HY_OK;
}

static enum hy_code read_dirs(struct hy_device_list *list, struct hy_error *err)
{
    const uint32_t count = halyard_driver_dir_count();
    list->dirs = calloc(count + 1, sizeof *list->dirs);
    if (!list->dirs)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u driver directories", count);

    for (; list->dir_count < count; list->dir_count++) {
        struct halyard_driver_dir *dir = &list->dirs[list->dir_count];
        dir->struct_size = sizeof *dir;
        const enum hy_code code =
            hy_api_result(halyard_get_driver_dir(list->dir_count, dir), "get_driver_folder", err);
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}

static enum hy_code read_refused(struct hy_device_list *list, struct hy_error *err)
{
    const uint32_t count = halyard_refused_driver_count();
    list->refused = calloc(count + 1, sizeof *list->refused);
    if (!list->refused)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u refused drivers", count);

    for (; list->refused_count < count; list->refused_count++) {
        struct halyard_refused_driver *refused = &list->refused[list->refused_count];
        refused->struct_size = sizeof *refused;
        const enum hy_code code = hy_api_result(
            halyard_get_refused_driver(list->refused_count, refused), "get_refused_driver", err);
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}

enum hy_code hy_device_list_make(struct hy_device_list *list, struct hy_error *err)
{
    uint32_t count = 0;
    enum hy_code code =
        hy_api_result(ANeuralNetworks_getDeviceCount(&count), "getDeviceCount", err);
    if (code != HY_OK)
        return code;

    list->devices = calloc(count + 1, sizeof *list->devices);
    if (!list->devices)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u devices", count);
    for (; code == HY_OK && list->device_count < count; list->device_count++)
        code = read_device(list->device_count, &list->devices[list->device_count], err);
    if (code == HY_OK)
        code = read_dirs(list, err);
    return code == HY_OK ? read_refused(list, err) : code;
}

void hy_device_list_finish(struct hy_device_list *list)
{
    free(list->devices);
    free(list->dirs);
    free(list->refused);
    *list = (struct hy_device_list){0};
}
