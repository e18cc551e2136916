#include <stdio.h>

#include "common/printable.h"
#include "tools/api_result.h"
#include "tools/command.h"
#include "tools/commands/device_list.h"
#include "tools/options.h"

static void print_extensions(const struct hy_listed_device *entry)
{
    for (uint32_t i = 0; i < entry->info.extension_count; i++) {
        struct halyard_device_extension extension = {.struct_size = sizeof extension};
        if (halyard_device_get_extension(entry->handle, i, &extension) != ANEURALNETWORKS_NO_ERROR)
            continue;
        printf("  %-13s  %s%s\n", i == 0 ? "extensions" : "", extension.name,
               extension.is_partial ? ", in part" : "");
    }
}

static void print_memory_kinds(uint32_t kinds)
{
    const char *before = "  memory         ";
    for (uint32_t kind = 0; kind < 32; kind++) {
        if (!(kinds >> kind & 1) || !hy_pool_kind_name(kind))
            continue;
        printf("%s%s", before, hy_pool_kind_name(kind));
        before = ", ";
    }
    printf("\n");
}

static void print_cache_files(const struct halyard_device_info *info)
{
    if (info->model_cache_files + info->data_cache_files == 0)
        printf("  cache          none\n");
    else
        printf("  cache files    %u model, %u data\n", info->model_cache_files,
               info->data_cache_files);
}

/* Values declared by the driver. */
static void print_declared(const struct hy_listed_device *entry)
{
    const struct halyard_device_info *info = &entry->info;
    print_extensions(entry);
    print_cache_files(info);
    print_memory_kinds(info->pool_kinds);
    if (info->burst_depth > 0)
        printf("  bursts         %u request%s in a queue\n", info->burst_depth,
               info->burst_depth == 1 ? "" : "s");
    if (info->launch_ns > 0)
        printf("  launch         %.1f us\n", (double)info->launch_ns * 1e-3);
    if (info->bytes_per_second > 0)
        printf("  transfers      %.1f GB/s\n", (double)info->bytes_per_second * 1e-9);
}

static void print_names(const char *before, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        printf("%s%s", i == 0 ? before : ", ", hy_text_line(names[i]).text);
}

static void print_dir(const struct halyard_driver_dir *dir)
{
    printf("  %s", hy_text_line(dir->path).text);
    if (*dir->setting)
        printf(" (%s)", dir->setting);
    if (dir->manifest_count + dir->masked_count == 0)
        printf(": %s", dir->is_there ? "no manifest" : "not there");
    print_names(": ", dir->manifests, dir->manifest_count);
    print_names(dir->manifest_count > 0 ? "; masked: " : ": masked: ", dir->masked,
                dir->masked_count);
    printf("\n");
}

static void print_device(const struct hy_listed_device *entry)
{
    const struct halyard_device_info *info = &entry->info;
    printf("%s\n", info->name);
    printf("  type           %s\n", entry->type);
    printf("  version        %s\n", info->version);
    if (*info->build_id)
        printf("  build          %s\n", info->build_id);
    if (*info->note)
        printf("  note           %s\n", info->note);
    printf("  feature level  %u (%lld)\n", entry->level, (long long)info->feature_level);
    printf("  kind           %s\n", entry->kind);
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
    print_declared(entry);
}

static void print_device_names(const struct hy_device_list *list)
{
    for (uint32_t i = 0; i < list->device_count; i++)
        printf("%s\n", list->devices[i].info.name);
}

static void print_text(const struct hy_device_list *list)
{
    for (uint32_t i = 0; i < list->device_count; i++)
        print_device(&list->devices[i]);
    if (list->dir_count > 0)
        printf("\nmanifests of drivers\n");
    for (uint32_t i = 0; i < list->dir_count; i++)
        print_dir(&list->dirs[i]);
    for (uint32_t i = 0; i < list->refused_count; i++)
        printf("%srefused: %s\n  reason         %s\n", i == 0 ? "\n" : "",
               list->refused[i].manifest, list->refused[i].reason);
}

static int retry(const char *name)
{
    struct hy_error err;

    if (hy_api_result(halyard_retry_driver(name), "retry_driver", &err) == HY_OK)
        return HY_EXIT_OK;
    if (err.code == HY_BAD_DATA)
        return hy_exit_wrong("devices", "--retry %s: no record of a driver with this name", name);
    return hy_exit_failed("devices", &err);
}

/* Where no process can be had the drivers are opened all the same, as by an app. */
static void try_drivers(uint32_t timeout)
{
    if (halyard_try_drivers(timeout * UINT64_C(1000000000)) != ANEURALNETWORKS_NO_ERROR)
        fprintf(stderr,
                "halyard devices: the drivers are opened without a test in a child process: %s\n",
                halyard_last_error());
}

int hy_cmd_devices(int argc, char **argv)
{
    bool json = false, isolate = false, names = false;
    struct hy_option_list retried = {0};
    uint32_t timeout = 10;
    const struct hy_option options[] = {
        {"isolate", HY_OPTION_FLAG, NULL, "run drivers isolated, in separate processes", &isolate},
        {"json", HY_OPTION_FLAG, NULL, "print JSON", &json},
        {"names", HY_OPTION_FLAG, NULL, "print only the names", &names},
        {"retry", HY_OPTION_LIST, "NAME", "allow a driver that ended processes again", &retried},
        {"timeout", HY_OPTION_COUNT, "SECONDS", "time limit of a driver call in seconds (10)",
         &timeout},
    };
    const struct hy_syntax syntax = {
        .command = "devices",
        .operands = "",
        .about = "Lists the devices in the order in which an app sees them, the directories "
                 "searched for\n"
                 "manifests of drivers, and the refused drivers with the reason.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    int first, status = HY_EXIT_OK;
    if (!hy_options_parse(&syntax, argc, argv, &first, &status))
        return status;

    if (isolate)
        hy_command_isolate();
    for (uint32_t i = 0; i < retried.count && status == HY_EXIT_OK; i++)
        status = retry(retried.items[i]);
    if (status != HY_EXIT_OK)
        return status;
    struct hy_device_list list = {0};
    struct hy_error err;
    try_drivers(timeout);
    enum hy_code code = hy_device_list_make(&list, &err);
    if (code == HY_OK && json)
        code = hy_device_list_print_json(&list, &err);
    else if (code == HY_OK && names)
        print_device_names(&list);
    else if (code == HY_OK)
        print_text(&list);
    hy_device_list_finish(&list);
    return code == HY_OK ? hy_exit_written("devices") : hy_exit_failed("devices", &err);
}
