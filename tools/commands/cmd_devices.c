#include <stdio.h>

#include "common/printable.h"
#include "tools/command.h"
#include "tools/commands/device_list.h"
#include "tools/options.h"

static void print_device(const struct hy_device_facts *facts)
{
    const struct halyard_device_info *info = &facts->info;
    printf("%s\n", info->name);
    printf("  type           %s\n", facts->type);
    printf("  version        %s\n", info->version);
    if (*info->build_id)
        printf("  build          %s\n", info->build_id);
    printf("  feature level  %u (%lld)\n", facts->level, (long long)info->feature_level);
    printf("  kind           %s\n", facts->kind);
    if (info->kind == HALYARD_DEVICE_SERVICE) {
        printf("  process        %d, %s\n", (int)info->process_id,
               *info->socket ? "shared" : "private");
        if (*info->socket)
            printf("  socket         %s\n", hy_text_line(info->socket).text);
        printf("  sandbox        %s\n", info->sandbox);
        printf("  restarts       %u\n", info->restart_count);
    }
    if (*info->manifest)
        printf("  manifest       %s\n", hy_text_line(info->manifest).text);
    if (*info->library)
        printf("  library        %s\n", hy_text_line(info->library).text);
    if (*info->library)
        printf("  driver ABI     %u.%u\n", info->driver_abi_major, info->driver_abi_minor);
}

static void print_text(const struct hy_device_list *list)
{
    for (uint32_t i = 0; i < list->device_count; i++)
        print_device(&list->devices[i]);
    for (uint32_t i = 0; i < list->refused_count; i++)
        printf("%srefused: %s\n  reason         %s\n", i == 0 ? "\n" : "",
               list->refused[i].manifest, list->refused[i].reason);
}

int hy_cmd_devices(int argc, char **argv)
{
    bool json = false, isolate = false;
    const struct hy_option options[] = {
        {"isolate", HY_OPTION_FLAG, NULL, "run drivers in processes of their own", &isolate},
        {"json", HY_OPTION_FLAG, NULL, "print JSON", &json},
    };
    const struct hy_syntax syntax = {
        .command = "devices",
        .operands = "",
        .about = "Lists the devices in the order in which an app sees them, and the drivers that "
                 "were\nrefused with the reason.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    int first, status = HY_EXIT_OK;
    if (!hy_options_parse(&syntax, argc, argv, &first, &status))
        return status;

    hy_command_silence_warnings(); /* of drivers that were refused */
    if (isolate)
        hy_command_isolate();
    struct hy_device_list list = {0};
    struct hy_error err;
    enum hy_code code = hy_device_list_make(&list, &err);
    if (code == HY_OK && json)
        code = hy_device_list_print_json(&list, &err);
    else if (code == HY_OK)
        print_text(&list);
    hy_device_list_finish(&list);
    return code == HY_OK ? hy_exit_written("devices") : hy_exit_failed("devices", &err);
}
