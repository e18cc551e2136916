#include "plugins/service/client/client_fenced.h"

#include "plugins/service/client/client_prepared.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/result.h"
#include "plugins/service/wire/wire_request.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct hy_service_fenced {
    struct hy_service *service;
    struct hy_connection *connection;
    uint64_t id;
};

/* ---- The usual way --------------------------------------------------------------------------- */

static int32_t call(struct hy_service_fenced *fenced, struct hy_channel *channel, uint64_t prepared,
                    const struct hy_request *request, const struct hy_run_options *options,
                    const struct hy_fences *fences, const struct hy_call_limits *limits,
                    struct hy_error *err)
{
    const struct hy_request *sent = &channel->sent.request;
    struct hy_unpack in;

    enum hy_code code = hy_sent_request_bind(&channel->sent, channel->connection, request, err);
    if (code != HY_OK)
        return hy_status_of(code);
    channel->request = sent;
    hy_outgoing_begin(&channel->call, HY_WIRE_EXECUTE_FENCED, prepared);
    hy_request_pack(&channel->call.body, sent);
    hy_run_options_pack(&channel->call.body, options);
    hy_fences_pack(&channel->call.body, fences);
    int32_t status = hy_channel_call(channel, sent->pools, sent->pool_count, limits, err);
    if (status != HY_STATUS_OK)
        return status;
    hy_channel_read(channel, &in, err);
    status = hy_channel_end_read(channel, &in, err);
    if (status == HY_STATUS_OK) {
        fenced->id = channel->reply.header.object;
        fenced->connection = hy_connection_retain(channel->connection);
    }
    return status;
}

static int32_t launch(struct hy_service_fenced *fenced, struct hy_service_prepared *prepared,
                      const struct hy_request *request, const struct hy_run_options *options,
                      const int32_t *wait_for, uint32_t wait_count, int32_t *fence,
                      struct hy_error *err)
{
    const struct hy_call_limits limits = hy_service_limits(fenced->service, options->deadline, 1);
    struct hy_channel *channel = NULL;
    uint64_t id = 0;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        (void)hy_fail(err, HY_EXHAUSTED, "no pipe for a fence: %s", strerror(errno));
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    const struct hy_fences fences = {
        .wait_for = wait_for, .wait_count = wait_count, .signal = ends[1]};
    int32_t status = hy_service_prepared_enter(prepared, &limits, &channel, &id, err);
    if (status == HY_STATUS_OK)
        status = call(fenced, channel, id, request, options, &fences, &limits, err);
    hy_channel_release(channel);
    close(ends[1]);
    if (status == HY_STATUS_OK)
        *fence = ends[0];
    else
        close(ends[0]);
    return status;
}

static int32_t execute_fenced(void *self, const struct hy_request *request,
                              const struct hy_run_options *options, const int32_t *wait_for,
                              uint32_t wait_count, int32_t *fence, void **ret)
{
    struct hy_service_prepared *prepared = self;
    struct hy_service_fenced *fenced = calloc(1, sizeof *fenced);
    struct hy_error err = {0};
    if (!fenced)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;

    fenced->service = prepared->device->service;
    const int32_t status =
        launch(fenced, prepared, request, options, wait_for, wait_count, fence, &err);
    if (status == HY_STATUS_OK) {
        *ret = fenced;
        return status;
    }
    free(fenced);
    return hy_status_fail(&options->message, status, &err);
}

/* ---- The result ------------------------------------------------------------------------------ */

static int32_t fenced_result(void *self, struct hy_fenced_result *result)
{
    struct hy_service_fenced *fenced = self;
    const struct hy_call_limits limits = hy_service_limits(fenced->service, HY_NO_DEADLINE, 1);
    struct hy_channel *channel = NULL;
    struct hy_error err;
    struct hy_unpack in;

    enum hy_code code = hy_channel_acquire(fenced->connection, &limits, &channel, &err);
    if (code != HY_OK)
        return hy_status_of(code);
    hy_outgoing_begin(&channel->call, HY_WIRE_FENCED_RESULT, fenced->id);
    int32_t status = hy_channel_call(channel, NULL, 0, &limits, &err);
    if (status == HY_STATUS_OK) {
        hy_channel_read(channel, &in, &err);
        hy_fenced_result_unpack(&in, result);
        status = hy_channel_end_read(channel, &in, &err);
    }
    hy_channel_release(channel);
    return status;
}

static void fenced_destroy(void *self)
{
    struct hy_service_fenced *fenced = self;
    if (!fenced)
        return;

    if (fenced->connection) {
        const struct hy_call_limits limits =
            hy_service_limits(fenced->service, HY_NO_DEADLINE, HY_SERVICE_PREPARE_FACTOR);
        hy_channel_notify(fenced->connection, HY_WIRE_FENCED_DESTROY, fenced->id,
                          limits.hang_timeout_ns);
    }
    hy_connection_release(fenced->connection);
    free(fenced);
}

void hy_service_fill_fenced(struct hy_device *table)
{
    table->execute_fenced = execute_fenced;
    table->fenced_result = fenced_result;
    table->fenced_destroy = fenced_destroy;
}
