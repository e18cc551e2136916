#include "tools/commands/device_list.h"
#include "tools/print_json.h"

static json_t *device_object(const struct hy_device_facts *facts)
{
    const struct halyard_device_info *info = &facts->info;
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:i, s:I, s:s, s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:o}", "name",
        hy_json_text(info->name), "type", facts->type, "version", hy_json_text(info->version),
        "build_id", hy_json_text(info->build_id), "feature_level", (int)facts->level,
        "feature_level_code", (json_int_t)info->feature_level, "kind", facts->kind, "manifest",
        hy_json_text(info->manifest), "library", hy_json_text(info->library), "driver_abi_major",
        (int)info->driver_abi_major, "driver_abi_minor", (int)info->driver_abi_minor, "process_id",
        (int)info->process_id, "restart_count", (int)info->restart_count, "sandbox",
        hy_json_text(info->sandbox), "socket", hy_json_text(info->socket));
}

static json_t *refused_object(const struct halyard_refused_driver *refused)
{
    return json_pack("{s:o, s:o}", "manifest", hy_json_text(refused->manifest), "reason",
                     hy_json_text(refused->reason));
}

enum hy_code hy_device_list_print_json(const struct hy_device_list *list, struct hy_error *err)
{
    json_t *devices = json_array();
    json_t *refused = json_array();
    for (uint32_t i = 0; i < list->device_count; i++)
        json_array_append_new(devices, device_object(&list->devices[i]));
    for (uint32_t i = 0; i < list->refused_count; i++)
        json_array_append_new(refused, refused_object(&list->refused[i]));
    return hy_json_print(json_pack("{s:o, s:o}", "devices", devices, "refused", refused), err);
}
