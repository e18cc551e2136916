#include "plugins/service/client/service_parts.h"

#include "plugins/service/client/successor.h"

#include <stdlib.h>
#include <string.h>

struct hy_connection *hy_service_connection(struct hy_service *service)
{
    struct hy_connection *connection = NULL;

    pthread_mutex_lock(&service->lock);
    if (service->connection && !hy_connection_is_dead(service->connection))
        connection = hy_connection_retain(service->connection);
    pthread_mutex_unlock(&service->lock);
    return connection;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static const char *copy_text(struct hy_arena *arena, const char *text)
{
    return hy_arena_copy(arena, text, strlen(text) + 1, 1);
}

static enum hy_code copy_launch(struct hy_service *service, const struct hy_service_launch *launch,
                                struct hy_error *err)
{
    struct hy_arena *arena = &service->arena;
    const char **files = hy_arena_alloc(arena, launch->device_file_count * sizeof(char *));
    bool whole = files != NULL;

    service->launch = *launch;
    service->launch.library = copy_text(arena, launch->library);
    service->launch.arguments = copy_text(arena, launch->arguments);
    service->launch.socket = copy_text(arena, launch->socket ? launch->socket : "");
    service->launch.socket_user = copy_text(arena, launch->socket_user ? launch->socket_user : "");
    whole = whole && service->launch.library && service->launch.arguments &&
            service->launch.socket && service->launch.socket_user;
    for (uint32_t i = 0; whole && i < launch->device_file_count; i++) {
        files[i] = copy_text(arena, launch->device_files[i]);
        whole = files[i] != NULL;
    }
    service->launch.device_files = files;
    if (!whole)
        return hy_fail(err, HY_OUT_OF_MEMORY, "service of %s", launch->library);
    service->driver_name = *launch->library ? service->launch.library : "halyard-cpu";
    return HY_OK;
}

/* The properties from the first process stay valid for the life of the service. */
static enum hy_code start(struct hy_service *service, struct hy_error *err)
{
    const int64_t deadline = *service->launch.socket
                                 ? hy_service_until(HY_NO_DEADLINE, HY_SERVICE_HANDSHAKE_NS)
                                 : HY_NO_DEADLINE;
    enum hy_code code =
        hy_connection_start(&service->launch, service->settings, service->driver_name,
                            service->host, deadline, &service->connection, err);
    if (code != HY_OK)
        return code;
    service->hello_info = service->connection->hello_info;
    service->connection->hello_info.arena = (struct hy_arena){0};
    const uint32_t count = service->hello_info.device_count;
    service->devices = calloc(count, sizeof *service->devices);
    if (!service->devices)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u devices of %s", count, service->driver_name);
    for (uint32_t i = 0; i < count; i++)
        hy_service_device_init(&service->devices[i], service, i);
    return HY_OK;
}

static void destroy(void *instance)
{
    struct hy_service *service = instance;
    if (!service)
        return;

    hy_services_list_remove(service);
    hy_service_await_start(service);
    hy_connection_release(service->connection);
    hy_arena_finish(&service->hello_info.arena);
    hy_arena_finish(&service->arena);
    pthread_cond_destroy(&service->start_is_over);
    pthread_mutex_destroy(&service->lock);
    free(service->devices);
    free(service);
}

enum hy_code hy_service_open(const struct hy_service_launch *launch,
                             const struct hy_service_settings *settings, const struct hy_host *host,
                             struct hy_service **ret, struct hy_error *err)
{
    struct hy_service *service = calloc(1, sizeof *service);
    if (!service)
        return hy_fail(err, HY_OUT_OF_MEMORY, "service of %s", launch->library);

    service->settings = settings;
    service->host = host;
    pthread_mutex_init(&service->lock, NULL);
    pthread_cond_init(&service->start_is_over, NULL);
    enum hy_code code = copy_launch(service, launch, err);
    if (code == HY_OK)
        code = start(service, err);
    if (code != HY_OK) {
        destroy(service);
        return code;
    }
    hy_services_list_add(service);
    *ret = service;
    return HY_OK;
}

/* ---- As a driver ----------------------------------------------------------------------------- */

static uint32_t device_count(void *instance)
{
    return ((const struct hy_service *)instance)->hello_info.device_count;
}

static int32_t device(void *instance, uint32_t index, const struct hy_device **table, void **ret)
{
    struct hy_service *service = instance;

    if (index >= service->hello_info.device_count)
        return HY_STATUS_INVALID_ARGUMENT;
    *table = &service->devices[index].table;
    *ret = &service->devices[index];
    return HY_STATUS_OK;
}

const struct hy_driver *hy_service_driver(void)
{
    static const struct hy_driver driver = {
        .struct_size = sizeof driver,
        .abi = HY_DRIVER_ABI,
        .name = "service",
        .destroy = destroy,
        .device_count = device_count,
        .device = device,
    };
    return &driver;
}

const char *hy_service_driver_name(const struct hy_service *service)
{
    return service->hello_info.driver;
}

uint32_t hy_service_driver_abi(const struct hy_service *service)
{
    return service->hello_info.abi;
}

void hy_service_get_info(struct hy_service *service, struct hy_service_info *info)
{
    struct hy_connection *connection = hy_service_connection(service);

    *info = (struct hy_service_info){
        .pid = connection ? connection->pid : 0,
        .sandbox = service->hello_info.sandbox,
        .socket = service->launch.socket,
    };
    pthread_mutex_lock(&service->lock);
    info->restarts = service->restarts;
    pthread_mutex_unlock(&service->lock);
    hy_connection_release(connection);
}

bool hy_service_is_upgraded(void *self, struct hy_error *err)
{
    const struct hy_service_device *device = self;
    const struct hy_hello_info *first = &device->service->hello_info;
    char was[HY_BUILD_TEXT_SIZE], is[HY_BUILD_TEXT_SIZE];
    struct hy_connection *connection = hy_service_connection(device->service);

    const bool is_upgraded =
        connection && !hy_successor_can_use_files(first, &connection->hello_info, device->index);
    if (is_upgraded) {
        hy_successor_describe_build(first, device->index, was);
        hy_successor_describe_build(&connection->hello_info, device->index, is);
        (void)hy_fail(err, HY_UNAVAILABLE,
                      "the driver was upgraded since the app was started (%s; was %s)", is, was);
    }
    hy_connection_release(connection);
    return is_upgraded;
}

bool hy_service_may_still_write(struct hy_service *service)
{
    pthread_mutex_lock(&service->lock);
    const bool may_write =
        service->may_write ||
        (service->connection && hy_connection_may_still_write(service->connection));
    pthread_mutex_unlock(&service->lock);
    return may_write;
}
