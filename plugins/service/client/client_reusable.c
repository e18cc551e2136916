#include "plugins/service/client/client_reusable.h"

#include "plugins/service/client/client_prepared.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/session.h"
#include "plugins/service/wire/wire_request.h"

#include <stdlib.h>

/* A request that runs again. Its object in a process is lost with the process and created again in
 * the next process. */
struct hy_service_reusable {
    struct hy_service_prepared *prepared;
    const struct hy_request *request; /* owned by the caller */
    struct hy_run_options options;
    struct hy_arena arena;            /* owns the data of `options` */
    struct hy_connection *connection; /* NULL: no object in any process */
    uint64_t id;
    struct hy_sent_request sent;
};

static void close_end(struct hy_service_reusable *reusable)
{
    if (!reusable->connection)
        return;
    if (reusable->id != 0 && !hy_connection_is_dead(reusable->connection)) {
        const struct hy_call_limits limits =
            hy_service_limits(reusable->prepared->device->service, HY_NO_DEADLINE, 1);
        hy_channel_notify(reusable->connection, HY_WIRE_REUSABLE_DESTROY, reusable->id,
                          limits.hang_timeout_ns);
    }
    hy_connection_release(reusable->connection);
    reusable->connection = NULL;
    reusable->id = 0;
}

static int32_t call_create(struct hy_service_reusable *reusable, struct hy_channel *channel,
                           uint64_t prepared, const struct hy_call_limits *limits,
                           struct hy_error *err)
{
    const struct hy_request *request = &reusable->sent.request;
    struct hy_unpack in;

    enum hy_code code =
        hy_sent_request_bind(&reusable->sent, reusable->connection, reusable->request, err);
    if (code != HY_OK)
        return hy_status_of(code);
    hy_outgoing_begin(&channel->call, HY_WIRE_REUSABLE_CREATE, prepared);
    hy_request_pack(&channel->call.body, request);
    hy_run_options_pack(&channel->call.body, &reusable->options);
    int32_t status = hy_channel_call(channel, request->pools, request->pool_count, limits, err);
    if (status != HY_STATUS_OK)
        return status;
    hy_channel_read(channel, &in, err);
    status = hy_channel_end_read(channel, &in, err);
    if (status == HY_STATUS_OK)
        reusable->id = channel->reply.header.object;
    return status;
}

static int32_t open_end(struct hy_service_reusable *reusable, const struct hy_call_limits *limits,
                        struct hy_error *err)
{
    struct hy_channel *channel = NULL;
    uint64_t id = 0;

    int32_t status = hy_service_prepared_enter(reusable->prepared, limits, &channel, &id, err);
    if (status != HY_STATUS_OK)
        return status;
    reusable->connection = hy_connection_retain(channel->connection);
    status = call_create(reusable, channel, id, limits, err);
    hy_channel_release(channel);
    if (status != HY_STATUS_OK)
        close_end(reusable);
    return status;
}

static bool save_options(struct hy_service_reusable *reusable, const struct hy_run_options *options)
{
    struct hy_hint *hints =
        hy_arena_copy(&reusable->arena, options->hints, options->hint_count, sizeof *hints);

    reusable->options.struct_size = sizeof reusable->options;
    hy_fill(&reusable->options, options);
    reusable->options.message = (struct hy_message){0};
    reusable->options.scratch = NULL;
    reusable->options.scratch_bytes = 0;
    for (uint32_t i = 0; hints && i < options->hint_count; i++) {
        hints[i].data = hy_arena_copy(&reusable->arena, hints[i].data, hints[i].length, 1);
        if (!hints[i].data)
            return false;
    }
    reusable->options.hints = hints;
    return hints != NULL;
}

static void reusable_destroy(void *self)
{
    struct hy_service_reusable *reusable = self;
    if (!reusable)
        return;

    close_end(reusable);
    hy_sent_request_finish(&reusable->sent);
    hy_arena_finish(&reusable->arena);
    free(reusable);
}

static int32_t reusable_create(void *prepared, const struct hy_request *request,
                               const struct hy_run_options *options, void **ret)
{
    struct hy_service_reusable *reusable = calloc(1, sizeof *reusable);
    struct hy_error err = {0};
    if (!reusable)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;

    reusable->prepared = prepared;
    reusable->request = request;
    const struct hy_call_limits limits =
        hy_service_limits(reusable->prepared->device->service, options->deadline, 1);
    const int32_t status = save_options(reusable, options) ? open_end(reusable, &limits, &err)
                                                           : HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    if (status != HY_STATUS_OK) {
        reusable_destroy(reusable);
        return hy_status_fail(&options->message, status, &err);
    }
    *ret = reusable;
    return status;
}

static int32_t run(struct hy_service_reusable *reusable, const struct hy_call_limits *limits,
                   struct hy_result *result, struct hy_error *err)
{
    struct hy_channel *channel = NULL;

    enum hy_code code = hy_channel_acquire(reusable->connection, limits, &channel, err);
    if (code != HY_OK)
        return hy_status_of(code);
    channel->request = &reusable->sent.request;
    hy_outgoing_begin(&channel->call, HY_WIRE_REUSABLE_EXECUTE, reusable->id);
    hy_deadline_pack(&channel->call.body, &(struct hy_deadline){limits->deadline});
    int32_t status = hy_channel_call(channel, NULL, 0, limits, err);
    status = hy_service_read_result(channel, status, result, err);
    hy_channel_release(channel);
    return status;
}

static int32_t reusable_execute(void *self, int64_t deadline, struct hy_result *result)
{
    struct hy_service_reusable *reusable = self;
    const struct hy_call_limits limits =
        hy_service_limits(reusable->prepared->device->service, deadline, 1);
    struct hy_error err;

    if (!hy_service_check_capacity(reusable->request, result, &err))
        return HY_STATUS_INVALID_ARGUMENT;
    if (reusable->connection && hy_connection_is_dead(reusable->connection))
        close_end(reusable);
    if (!reusable->connection) {
        const int32_t status = open_end(reusable, &limits, &err);
        if (status != HY_STATUS_OK)
            return status;
    }
    return run(reusable, &limits, result, &err);
}

void hy_service_fill_reusables(struct hy_device *table)
{
    table->reusable_create = reusable_create;
    table->reusable_execute = reusable_execute;
    table->reusable_destroy = reusable_destroy;
}
