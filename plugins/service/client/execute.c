#include "plugins/service/client/client_prepared.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/result.h"
#include "plugins/service/wire/wire_request.h"

bool hy_service_check_capacity(const struct hy_request *request, const struct hy_result *result,
                               struct hy_error *err)
{
    if (result->output_count == request->output_count && (result->outputs || !result->output_count))
        return true;
    (void)hy_fail(err, HY_BAD_DATA, "the result has space for %u of %u outputs",
                  result->output_count, request->output_count);
    return false;
}

int32_t hy_service_read_result(struct hy_channel *channel, int32_t status, struct hy_result *result,
                               struct hy_error *err)
{
    struct hy_unpack in;

    if (status != HY_STATUS_OK && status != HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
        return status;
    struct hy_error why;
    hy_channel_read(channel, &in, &why);
    hy_result_unpack(&in, result);
    const int32_t end = hy_channel_end_read(channel, &in, &why);
    if (end == HY_STATUS_OK)
        return status;
    *err = why;
    return end;
}

static int32_t call(struct hy_channel *channel, uint64_t id, const struct hy_request *request,
                    const struct hy_run_options *options, const struct hy_call_limits *limits,
                    struct hy_result *result, struct hy_error *err)
{
    const struct hy_request *sent = &channel->sent.request;

    enum hy_code code = hy_sent_request_bind(&channel->sent, channel->connection, request, err);
    if (code != HY_OK)
        return hy_status_of(code);
    channel->request = sent;
    hy_outgoing_begin(&channel->call, HY_WIRE_EXECUTE, id);
    hy_request_pack(&channel->call.body, sent);
    hy_run_options_pack(&channel->call.body, options);
    const int32_t status = hy_channel_call(channel, sent->pools, sent->pool_count, limits, err);
    return hy_service_read_result(channel, status, result, err);
}

/* `*has_left`: the service has ended in good order, and no longer writes to memory of the call. */
static int32_t execute(struct hy_service_prepared *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result,
                       bool *has_left, struct hy_error *err)
{
    const struct hy_call_limits limits =
        hy_service_limits(prepared->device->service, options->deadline, 1);
    struct hy_channel *channel = NULL;
    uint64_t id = 0;

    *has_left = false;
    int32_t status = hy_service_prepared_enter(prepared, &limits, &channel, &id, err);
    if (status != HY_STATUS_OK)
        return status;
    status = call(channel, id, request, options, &limits, result, err);
    *has_left = status == HY_STATUS_DEAD_OBJECT && hy_connection_has_left(channel->connection);
    hy_channel_release(channel);
    return status;
}

int32_t hy_service_execute(void *self, const struct hy_request *request,
                           const struct hy_run_options *options, struct hy_result *result)
{
    struct hy_error err = {0};
    bool has_left;

    if (!hy_service_check_capacity(request, result, &err))
        return hy_status_fail(&options->message, HY_STATUS_INVALID_ARGUMENT, &err);
    int32_t status = execute(self, request, options, result, &has_left, &err);
    if (has_left)
        status = execute(self, request, options, result, &has_left, &err);
    return status == HY_STATUS_OK ? status : hy_status_fail(&options->message, status, &err);
}
