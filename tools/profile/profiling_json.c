#include "tools/print_json.h"
#include "tools/profile/profiling.h"

enum hy_code hy_profiling_print_json(const struct hy_profiling *profiling, struct hy_error *err)
{
    json_t *devices = json_array();

    for (uint32_t i = 0; i < profiling->device_count; i++) {
        const struct hy_profiled_device *device = &profiling->devices[i];
        json_array_append_new(devices,
                              json_pack("{s:o, s:I, s:I}", "name", hy_json_text(device->name),
                                        "launch_ns", (json_int_t)device->launch_ns, "operations",
                                        (json_int_t)device->operation_count));
    }
    return hy_json_print(
        json_pack("{s:o, s:o}", "path", hy_json_text(profiling->path), "devices", devices), err);
}
