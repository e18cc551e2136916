#include "common/status.h"
#include "common/sync_fence.h"
#include "plugins/service/server/calls/calls.h"
#include "plugins/service/server/threads.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/ranges.h"
#include "plugins/service/wire/result.h"
#include "plugins/service/wire/wire_request.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

/* The server's data of a fenced execution. */
struct fenced {
    struct hy_server_object *object;
    struct hy_request request;
    struct hy_run_options options;
    struct hy_fences fences; /* owns the descriptors */
    int32_t fence;           /* of the driver; -1: none */
    struct hy_server_quota *quotas;
    uint32_t
        counted; /* descriptors charged to HY_SERVER_QUOTA_FENCES, including the driver's fence */
    pthread_t thread; /* waits for the fence */
    bool has_thread;
};

/* Writes a byte for success; closing the pipe without a byte means failure. */
static void signal_end(struct fenced *fenced, bool is_done)
{
    const uint8_t byte = 1;
    ssize_t written = is_done ? -1 : 0;

    while (written < 0 && (written = write(fenced->fences.signal, &byte, 1)) < 0 && errno == EINTR)
        ;
    close(fenced->fences.signal);
    fenced->fences.signal = -1;
}

static void *wait_for_end(void *context)
{
    struct fenced *fenced = context;
    struct pollfd fence = {.fd = fenced->fence, .events = POLLIN};

    while (poll(&fence, 1, -1) < 0 && errno == EINTR)
        ;
    signal_end(fenced, hy_sync_fence_result(fence.fd, (uint32_t)fence.revents) == 0 &&
                           !hy_server_holds_are_truncated(&fenced->object->holds));
    return NULL;
}

/* The driver's work ends first; its end signals the fence, so the waiting thread returns. */
static void finish(void *extra)
{
    struct fenced *fenced = extra;
    struct hy_server_object *object = fenced->object;

    if (object->driver_object)
        object->table->fenced_destroy(object->driver_object);
    object->driver_object = NULL;
    if (fenced->has_thread)
        pthread_join(fenced->thread, NULL);
    if (fenced->fence >= 0)
        close(fenced->fence);
    if (fenced->fences.signal >= 0)
        close(fenced->fences.signal);
    for (uint32_t i = 0; i < fenced->fences.wait_count; i++)
        close(fenced->fences.wait_for[i]);
    hy_server_quota_release(fenced->quotas, HY_SERVER_QUOTA_FENCES, fenced->counted);
}

static int32_t read_call(struct hy_server_channel *channel, struct hy_server_object *object,
                         struct fenced *fenced, struct hy_error *err)
{
    struct hy_pool *pools = NULL;
    struct hy_unpack in;

    hy_incoming_unpack(&channel->call, &object->arena, &in, err);
    hy_unpack_retain(&in);
    hy_request_unpack(&in, &fenced->request, &pools);
    hy_run_options_unpack(&in, &fenced->options);
    hy_fences_unpack(&in, &fenced->fences);
    int32_t status = hy_server_end_read(&in);
    if (status != HY_STATUS_OK)
        return status;
    status = hy_server_hold_pools(channel, object->table, &object->holds, pools,
                                  fenced->request.pool_count, err);
    if (status == HY_STATUS_OK)
        status = hy_status_of(hy_request_check_ranges(&fenced->request, err));
    if (status != HY_STATUS_OK)
        return status;
    const uint32_t count = fenced->fences.wait_count + 2;
    enum hy_code code =
        hy_server_quota_charge(&channel->server->quotas, HY_SERVER_QUOTA_FENCES, count, err);
    if (code != HY_OK)
        return hy_status_of(code);
    fenced->quotas = &channel->server->quotas;
    fenced->counted = count;
    hy_incoming_claim_fd(&channel->call, fenced->fences.signal);
    for (uint32_t i = 0; i < fenced->fences.wait_count; i++)
        hy_incoming_claim_fd(&channel->call, fenced->fences.wait_for[i]);
    object->extra = fenced;
    object->finish = finish;
    return HY_STATUS_OK;
}

static int32_t start(const struct hy_server_channel *channel,
                     const struct hy_server_object *prepared, struct hy_server_object *object,
                     struct fenced *fenced, struct hy_error *err)
{
    fenced->options.message = hy_server_message(err);
    fenced->options.cancelled =
        &channel->server->cancelled; /* the execution may outlive the channel */
    int32_t status = prepared->table->execute_fenced(
        prepared->driver_object, &fenced->request, &fenced->options, fenced->fences.wait_for,
        fenced->fences.wait_count, &fenced->fence, &object->driver_object);
    fenced->options.message = (struct hy_message){0};
    err->text[sizeof err->text - 1] = '\0';
    status = hy_server_driver_status(status, err);
    if (status != HY_STATUS_OK) {
        object->driver_object = NULL;
        fenced->fence = -1;
        return status;
    }
    if (!object->driver_object)
        return HY_STATUS_GENERAL_FAILURE;
    if (fenced->fence < 0) {
        signal_end(fenced, !hy_server_holds_are_truncated(&object->holds));
        return HY_STATUS_OK;
    }
    fenced->has_thread = hy_server_thread_start(&fenced->thread, wait_for_end, fenced);
    return fenced->has_thread ? HY_STATUS_OK : HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
}

/* Holds the prepared model as a parent. */
static struct fenced *begin(struct hy_server_channel *channel, struct hy_server_object *object,
                            struct hy_server_object *prepared)
{
    struct fenced *fenced = hy_arena_alloc(&object->arena, sizeof *fenced);

    object->parents = hy_arena_alloc(&object->arena, sizeof(struct hy_server_object *));
    if (!fenced || !object->parents)
        return NULL;
    hy_server_object_hold(&channel->server->objects, prepared);
    object->parents[0] = prepared;
    object->parent_count = 1;
    *fenced = (struct fenced){.object = object, .fence = -1, .fences = {.signal = -1}};
    return fenced;
}

int32_t hy_server_execute_fenced(struct hy_server_channel *channel, struct hy_unpack *in,
                                 struct hy_error *err)
{
    (void)in; /* the body is read again, into the object */
    struct hy_server_object *prepared = hy_server_find_object(channel, HY_SERVER_PREPARED, err);
    if (!prepared)
        return HY_STATUS_INVALID_ARGUMENT;
    struct hy_server_object *object =
        hy_server_object_create(&channel->server->objects, HY_SERVER_FENCED, prepared->table);
    struct fenced *fenced =
        object && prepared->table->execute_fenced ? begin(channel, object, prepared) : NULL;
    int32_t status = prepared->table->execute_fenced ? HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT
                                                     : HY_STATUS_GENERAL_FAILURE;
    if (fenced)
        status = hy_server_charge(channel, prepared->run_bytes, &object->memory, err);
    if (status == HY_STATUS_OK)
        status = read_call(channel, object, fenced, err);
    if (status == HY_STATUS_OK)
        status = start(channel, prepared, object, fenced, err);
    hy_server_object_put(&channel->server->objects, prepared);
    if (status == HY_STATUS_OK)
        return hy_server_register_object(channel, object, err);
    hy_server_object_destroy(&channel->server->objects, object);
    return status;
}

int32_t hy_server_fenced_result(struct hy_server_channel *channel, struct hy_unpack *in,
                                struct hy_error *err)
{
    struct hy_fenced_result result = {
        .struct_size = sizeof result,
        .launched_on_device = HY_NO_TIME,
        .launched_in_driver = HY_NO_TIME,
        .fenced_on_device = HY_NO_TIME,
        .fenced_in_driver = HY_NO_TIME,
    };
    int32_t status = hy_server_end_read(in);
    if (status != HY_STATUS_OK)
        return status;
    struct hy_server_object *object = hy_server_find_object(channel, HY_SERVER_FENCED, err);
    if (!object)
        return HY_STATUS_INVALID_ARGUMENT;
    status =
        hy_server_driver_status(object->table->fenced_result(object->driver_object, &result), err);
    if (status == HY_STATUS_OK && result.status == HY_STATUS_OK &&
        hy_server_holds_are_truncated(&object->holds))
        result.status = HY_STATUS_GENERAL_FAILURE;
    if (status == HY_STATUS_OK)
        hy_fenced_result_pack(&channel->reply.body, &result);
    hy_server_object_put(&channel->server->objects, object);
    return status;
}
