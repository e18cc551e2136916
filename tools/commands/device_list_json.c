#include "tools/commands/device_list.h"
#include "tools/print_json.h"

static json_t *extension_array(const struct hy_listed_device *entry)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < entry->info.extension_count; i++) {
        struct halyard_device_extension extension = {.struct_size = sizeof extension};
        if (halyard_device_get_extension(entry->handle, i, &extension) == ANEURALNETWORKS_NO_ERROR)
            json_array_append_new(array,
                                  json_pack("{s:o, s:b}", "name", hy_json_text(extension.name),
                                            "partial", (int)extension.is_partial));
    }
    return array;
}

static json_t *pool_array(uint32_t kinds)
{
    json_t *array = json_array();
    for (uint32_t kind = 0; kind < 32; kind++) {
        if (kinds >> kind & 1 && hy_pool_kind_name(kind))
            json_array_append_new(array, json_string(hy_pool_kind_name(kind)));
    }
    return array;
}

/* Values declared by the driver. */
static json_t *declared_object(const struct hy_listed_device *entry)
{
    const struct halyard_device_info *info = &entry->info;
    return json_pack("{s:o, s:i, s:i, s:o, s:i, s:b, s:I, s:I}", "extensions",
                     extension_array(entry), "model_cache_files", (int)info->model_cache_files,
                     "data_cache_files", (int)info->data_cache_files, "memory_kinds",
                     pool_array(info->pool_kinds), "burst_depth", (int)info->burst_depth, "buffers",
                     (int)info->has_buffers, "launch_ns", (json_int_t)info->launch_ns,
                     "bytes_per_second", (json_int_t)info->bytes_per_second);
}

static json_t *name_array(const char *const *names, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(array, hy_json_text(names[i]));
    return array;
}

static json_t *dir_object(const struct halyard_driver_dir *dir)
{
    return json_pack("{s:o, s:o, s:b, s:o, s:o}", "path", hy_json_text(dir->path), "setting",
                     *dir->setting ? hy_json_text(dir->setting) : json_null(), "exists",
                     (int)dir->is_there, "manifests",
                     name_array(dir->manifests, dir->manifest_count), "masked",
                     name_array(dir->masked, dir->masked_count));
}

static json_t *device_object(const struct hy_listed_device *entry)
{
    const struct halyard_device_info *info = &entry->info;
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:i, s:I, s:s, s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:o, s:s, s:o}",
        "name", hy_json_text(info->name), "type", entry->type, "version",
        hy_json_text(info->version), "build_id", hy_json_text(info->build_id), "feature_level",
        (int)entry->level, "feature_level_code", (json_int_t)info->feature_level, "kind",
        entry->kind, "manifest", hy_json_text(info->manifest), "library",
        hy_json_text(info->library), "driver_abi_major", (int)info->driver_abi_major,
        "driver_abi_minor", (int)info->driver_abi_minor, "process_id", (int)info->process_id,
        "restart_count", (int)info->restart_count, "sandbox", hy_json_text(info->sandbox), "socket",
        hy_json_text(info->socket), "note", info->note, "declared", declared_object(entry));
}

static json_t *refused_object(const struct halyard_refused_driver *refused)
{
    return json_pack("{s:o, s:o}", "manifest", hy_json_text(refused->manifest), "reason",
                     hy_json_text(refused->reason));
}

enum hy_code hy_device_list_print_json(const struct hy_device_list *list, struct hy_error *err)
{
    json_t *devices = json_array();
    json_t *dirs = json_array();
    json_t *refused = json_array();
    for (uint32_t i = 0; i < list->device_count; i++)
        json_array_append_new(devices, device_object(&list->devices[i]));
    for (uint32_t i = 0; i < list->dir_count; i++)
        json_array_append_new(dirs, dir_object(&list->dirs[i]));
    for (uint32_t i = 0; i < list->refused_count; i++)
        json_array_append_new(refused, refused_object(&list->refused[i]));
    return hy_json_print(
        json_pack("{s:o, s:o, s:o}", "devices", devices, "directories", dirs, "refused", refused),
        err);
}
