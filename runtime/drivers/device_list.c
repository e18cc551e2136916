#include "runtime/drivers/device_list.h"

#include "common/built_in_names.h"
#include "common/error.h"
#include "cpu_fallback/cpu_driver.h"
#include "halyard/halyard.h"
#include "host.h"
#include "plugins/plugins.h"
#include "runtime/device/health.h"
#include "runtime/driver_status.h"
#include "runtime/drivers/crash_guard.h"
#include "runtime/drivers/driver_probe.h"
#include "runtime/drivers/isolation.h"
#include "runtime/drivers/manifest_dirs.h"
#include "runtime/drivers/memory_gone.h"
#include "runtime/drivers/settings.h"
#include "runtime/environment.h"
#include "runtime/extension/extension.h"
#include "runtime/fork_guard.h"
#include "runtime/log.h"
#include "runtime/profile/profiles.h"
#include "runtime/state_dir.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPU_DEVICE_COUNT = 2 };

/*
 * The list under construction. Completed steps stay valid: if memory runs out, the next call
 * continues with the failed step.
 */
static struct {
    pthread_mutex_t lock;
    struct hy_plugins *plugins;
    const struct hy_host *cpu_host;
    void *cpu;                      /* instance of the built-in driver */
    struct hy_service *cpu_service; /* service process for halyard-cpu, or NULL */
    bool has_cpu_service;           /* a service was tried */
    char *cpu_refusal; /* reason for a missing service; NULL: present or not requested */
    struct hy_runtime_device *devices;
    struct hy_device_work *work;
    struct hy_health *health; /* of the plugins' devices */
    struct hy_refused_driver *refused;
    struct hy_profile_file profiles;
    bool without_drivers;
} list_builder = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* This thread is making the list. A driver may call hy_devices or fork() while it is opened. */
static _Thread_local bool is_making;

static struct hy_device_list list;
static _Atomic(const struct hy_device_list *) finished; /* NULL until the list is complete */
static _Thread_local enum hy_code failure;              /* reason why this thread got no list */

static void add_cpu_device(struct hy_runtime_device *device, const struct hy_driver *driver,
                           void *instance, uint32_t index)
{
    device->kind = HALYARD_DEVICE_BUILT_IN;
    device->abi = hy_cpu_driver()->abi;
    device->manifest = "";
    device->library = "";
    device->info.struct_size = sizeof device->info;
    device->capabilities.struct_size = sizeof device->capabilities;

    /* The built-in driver returns constants, so a failure here is a bug. The device stays in the
     * list without a table and supports nothing. */
    if (driver->device(instance, index, &device->table, &device->self) != HY_STATUS_OK ||
        device->table->describe(device->self, &device->info) != HY_STATUS_OK ||
        device->table->capabilities(device->self, &device->capabilities) != HY_STATUS_OK)
        hy_log(HY_LOG_ERROR, "device", "the built-in CPU device %u cannot be described", index);
}

/* Only halyard-cpu may run in another process: nnapi-reference is the last resort after all
 * failures. */
static void add_cpu_devices(struct hy_runtime_device *devices, struct hy_health *health)
{
    add_cpu_device(&devices[1], hy_cpu_driver(), list_builder.cpu, 1);
    if (!list_builder.cpu_service) {
        add_cpu_device(&devices[0], hy_cpu_driver(), list_builder.cpu, 0);
        return;
    }
    add_cpu_device(&devices[0], hy_service_driver(), list_builder.cpu_service, 0);
    devices[0].kind = HALYARD_DEVICE_SERVICE;
    devices[0].service = list_builder.cpu_service;
    devices[0].health = health;
}

static void add_plugin_device(struct hy_runtime_device *device, const struct hy_plugin_device *from)
{
    device->kind = from->service ? HALYARD_DEVICE_SERVICE : HALYARD_DEVICE_IN_PROCESS;
    device->service = from->service;
    device->abi = from->abi;
    device->table = from->table;
    device->self = from->device;
    device->info = *from->info;
    device->capabilities = *from->capabilities;
    device->manifest = from->manifest;
    device->library = from->library;
}

/* `with_services`: include drivers in service processes. */
static enum hy_code open_plugins(bool with_services, struct hy_plugins **ret, struct hy_error *err)
{
    static const char *const services[] = {"halyard-cpu", NULL};
    const struct hy_environment *environment = hy_environment();
    if (list_builder.without_drivers)
        return hy_plugins_open(&(struct hy_discovery){0}, hy_runtime_hosts(), ret, err);
    if (!environment)
        return hy_fail(err, HY_OUT_OF_MEMORY, "environment variables");

    char **dirs = NULL;
    enum hy_code code = hy_manifest_dirs_create(&dirs, err);
    if (code != HY_OK)
        return code;
    const struct hy_discovery discovery = {
        .dirs = (const char *const *)dirs,
        .driver_files = environment->driver_files,
        .add_driver_files = environment->add_driver_files,
        .select = environment->drivers_select,
        .disable = environment->drivers_disable,
        .plugin_dir = HALYARD_PLUGIN_DIR,
        .isolate = hy_isolation_list(),
        .sockets = hy_isolation_sockets(),
        .services = with_services ? hy_isolation_settings() : NULL,
        .guard = hy_crash_guard_begin(),
        .reserved_names = hy_built_in_names(),
        .service_names = services,
    };
    code = hy_plugins_open(&discovery, hy_runtime_hosts(), ret, err);
    hy_crash_guard_end();
    hy_discovery_dirs_destroy(dirs);
    return code;
}

static const char *cpu_arguments(void)
{
    const struct hy_environment *environment = hy_environment();
    return environment && environment->cpu_features ? environment->cpu_features : "{}";
}

/* The host is valid, so a lack of memory is the only possible failure. */
static enum hy_code open_cpu(void **ret, struct hy_error *err)
{
    char text[HY_DRIVER_TEXT_SIZE] = "";
    const struct hy_message message = {.text = text, .size = sizeof text};

    if (!list_builder.cpu_host)
        list_builder.cpu_host = hy_runtime_hosts()->create();
    if (!list_builder.cpu_host)
        return hy_fail(err, HY_OUT_OF_MEMORY, "host of the built-in CPU driver");
    if (hy_cpu_driver()->create(list_builder.cpu_host, cpu_arguments(), &message, ret) ==
        HY_STATUS_OK)
        return HY_OK;
    return hy_fail(err, HY_OUT_OF_MEMORY, "the built-in CPU driver: %s", text);
}

/* After a failure halyard-cpu stays in this process. A lack of descriptors is returned, as the next
 * call may succeed. */
static enum hy_code isolate_cpu(struct hy_error *ret)
{
    struct hy_service_launch launch = {.library = "", .arguments = cpu_arguments()};
    const struct hy_service_settings *settings = hy_isolation_settings();
    char *socket = NULL;
    struct hy_error err;

    if (list_builder.has_cpu_service || !settings || !hy_isolation_has_cpu())
        return HY_OK;
    list_builder.has_cpu_service = true;
    enum hy_code code = hy_isolation_cpu_socket(&socket, &err);
    launch.socket = socket;
    if (code == HY_OK)
        code = hy_service_open(&launch, settings, list_builder.cpu_host, &list_builder.cpu_service,
                               &err);
    free(socket);
    if (code == HY_OK)
        return HY_OK;
    if (code == HY_EXHAUSTED) {
        list_builder.has_cpu_service = false;
        return hy_fail(ret, code, "halyard-cpu: %s", err.text);
    }
    if (asprintf(&list_builder.cpu_refusal,
                 "halyard-cpu cannot be isolated and runs in this process: %s", err.text) < 0)
        list_builder.cpu_refusal = NULL; /* the text is in the log */
    hy_log(HY_LOG_WARNING, "device", "halyard-cpu cannot be isolated and runs in this process: %s",
           err.text);
    return HY_OK;
}

static enum hy_code open_drivers(struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (!list_builder.plugins)
        code = open_plugins(true, &list_builder.plugins, err);
    if (code == HY_OK && !list_builder.cpu)
        code = open_cpu(&list_builder.cpu, err);
    return code == HY_OK ? isolate_cpu(err) : code;
}

/* The two devices follow the devices of the plugins. */
static enum hy_code introduce_cpu(const struct hy_runtime_device *devices, struct hy_error *err)
{
    const struct hy_plugin_hosts *hosts = hy_runtime_hosts();

    for (uint32_t i = 0; i < CPU_DEVICE_COUNT; i++) {
        if (!hosts->note_device(list_builder.cpu_host, hy_cpu_driver()->name, &devices[i].info))
            return hy_fail(err, HY_OUT_OF_MEMORY, "host of %s", devices[i].info.name);
    }
    hosts->complete(list_builder.cpu_host);
    return HY_OK;
}

static enum hy_code alloc_arrays(uint32_t device_count, uint32_t refused_count,
                                 struct hy_error *err)
{
    if (!list_builder.devices)
        list_builder.devices = calloc(device_count, sizeof *list_builder.devices);
    if (!list_builder.work)
        list_builder.work = calloc(device_count, sizeof *list_builder.work);
    if (!list_builder.health)
        list_builder.health = calloc(device_count, sizeof *list_builder.health);
    if (!list_builder.refused) /* plus one for halyard-cpu */
        list_builder.refused = calloc((size_t)refused_count + 1, sizeof *list_builder.refused);
    if (!list_builder.devices || !list_builder.work || !list_builder.health ||
        !list_builder.refused)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u devices, %u refused drivers", device_count,
                       refused_count);
    return HY_OK;
}

static void fill_devices(uint32_t plugin_count)
{
    for (uint32_t i = 0; i < plugin_count; i++) {
        add_plugin_device(&list_builder.devices[i], hy_plugins_device(list_builder.plugins, i));
        list_builder.devices[i].health = &list_builder.health[i];
    }
    add_cpu_devices(&list_builder.devices[plugin_count], &list_builder.health[plugin_count]);
    for (uint32_t i = 0; i < plugin_count + CPU_DEVICE_COUNT; i++) {
        list_builder.devices[i].index = i;
        list_builder.devices[i].work = &list_builder.work[i];
    }
}

static void fill_refusals(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_plugin_refusal *from = hy_plugins_refusal(list_builder.plugins, i);
        list_builder.refused[i] =
            (struct hy_refused_driver){.manifest = from->manifest, .reason = from->reason};
    }
    if (list_builder.cpu_refusal)
        list_builder.refused[count] = (struct hy_refused_driver){
            .manifest = "halyard-cpu", .reason = list_builder.cpu_refusal};
}

/* Without a state directory no device has a profile. */
static enum hy_code attach_profiles(uint32_t count, struct hy_error *err)
{
    const struct hy_environment *environment = hy_environment();
    char *dir = NULL;
    if (!environment)
        return hy_fail(err, HY_OUT_OF_MEMORY, "environment variables");

    enum hy_code code = hy_state_dir_find(environment, hy_state_parents, &dir, err);
    if (code != HY_OK)
        return code == HY_OUT_OF_MEMORY ? code : HY_OK;
    code = hy_profiles_attach(dir, &list_builder.profiles, list_builder.devices, count, err);
    free(dir);
    return code;
}

/* Called with the lock held. */
static enum hy_code make_list(struct hy_error *err)
{
    enum hy_code code = open_drivers(err);
    if (code != HY_OK)
        return code;

    const uint32_t plugin_count = hy_plugins_device_count(list_builder.plugins);
    const uint32_t count = plugin_count + CPU_DEVICE_COUNT;
    const uint32_t refused_count = hy_plugins_refusal_count(list_builder.plugins);
    code = alloc_arrays(count, refused_count, err);
    if (code != HY_OK)
        return code;
    fill_devices(plugin_count);
    fill_refusals(refused_count);
    code = introduce_cpu(&list_builder.devices[plugin_count], err);
    for (uint32_t i = 0; code == HY_OK && i < count; i++)
        code = hy_extensions_learn(&list_builder.devices[i].info, err);
    if (code == HY_OK)
        code = attach_profiles(count, err);
    if (code != HY_OK)
        return code;

    list = (struct hy_device_list){
        .count = count,
        .refused_count = refused_count + (list_builder.cpu_refusal ? 1 : 0),
        .devices = list_builder.devices,
        .refused = list_builder.refused,
        .plugins = list_builder.plugins,
        .cpu = &list_builder.devices[plugin_count],
        .reference = &list_builder.devices[plugin_count + 1],
    };
    hy_device_settings_check(&list);
    hy_devices_watch_memory(&list);
    return HY_OK;
}

const struct hy_device_list *hy_devices(void)
{
    const struct hy_device_list *known = atomic_load_explicit(&finished, memory_order_acquire);
    struct hy_error err;
    if (known || is_making)
        return known;

    pthread_mutex_lock(&list_builder.lock);
    is_making = true;
    known = atomic_load_explicit(&finished, memory_order_acquire);
    failure = known ? HY_OK : make_list(&err);
    if (!known && failure == HY_OK) {
        known = &list;
        atomic_store_explicit(&finished, known, memory_order_release);
    } else if (!known) {
        hy_log(HY_LOG_ERROR, "device",
               "the devices cannot be listed, the next call tries again: %s: %s",
               failure == HY_OUT_OF_MEMORY ? "out of memory" : hy_code_name(failure), err.text);
    }
    is_making = false;
    pthread_mutex_unlock(&list_builder.lock);
    return known;
}

enum hy_code hy_devices_failure(void)
{
    return failure == HY_EXHAUSTED ? failure : HY_OUT_OF_MEMORY;
}

enum hy_code hy_devices_disable_drivers(struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (is_making)
        return hy_fail(err, HY_BAD_STATE, "the devices are being listed");
    pthread_mutex_lock(&list_builder.lock);
    if (list_builder.plugins && !list_builder.without_drivers)
        code = hy_fail(err, HY_BAD_STATE, "the devices are listed already");
    else
        list_builder.without_drivers = true;
    pthread_mutex_unlock(&list_builder.lock);
    return code;
}

/* Opens the drivers in a child process that exits afterwards, so nothing is closed. Drivers in
 * service processes cannot end an app and are omitted. */
static void try_plugins(void)
{
    static struct hy_plugins *plugins;
    struct hy_error ignored;
    (void)open_plugins(false, &plugins, &ignored);
}

enum hy_code hy_devices_try_drivers(uint64_t hang_timeout, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (is_making)
        return hy_fail(err, HY_BAD_STATE, "the devices are being listed");
    pthread_mutex_lock(&list_builder.lock);
    is_making = true; /* the child may fork */
    if (list_builder.plugins)
        code = hy_fail(err, HY_BAD_STATE, "the devices are listed already");
    else if (!list_builder.without_drivers)
        code = hy_driver_probe_run(try_plugins, hang_timeout, err);
    is_making = false;
    pthread_mutex_unlock(&list_builder.lock);
    return code;
}

enum hy_code hy_devices_retry_driver(const char *name, struct hy_error *err)
{
    if (is_making)
        return hy_fail(err, HY_BAD_STATE, "the devices are being listed");
    pthread_mutex_lock(&list_builder.lock);
    const enum hy_code code = hy_crash_guard_clear(name, err);
    pthread_mutex_unlock(&list_builder.lock);
    return code;
}

int hy_device_is_known(const struct hy_runtime_device *device)
{
    const struct hy_device_list *devices = hy_devices();
    for (uint32_t i = 0; devices && i < devices->count; i++) {
        if (device == &devices->devices[i])
            return 1;
    }
    return 0;
}

static void at_fork(enum hy_fork_phase phase)
{
    if (is_making)
        return;
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&list_builder.lock);
    else
        pthread_mutex_unlock(&list_builder.lock);
}

HY_AT_FORK(HY_FORK_DEVICES, at_fork)
