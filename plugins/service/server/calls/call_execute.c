#include "common/status.h"
#include "plugins/service/server/calls/calls.h"
#include "plugins/service/server/clients/quota.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/ranges.h"
#include "plugins/service/wire/session.h"
#include "plugins/service/wire/wire_request.h"

/* Results computed from truncated memory are invalid. */
static int32_t end_run(int32_t status, const struct hy_server_holds *holds, struct hy_error *err)
{
    err->text[sizeof err->text - 1] = '\0';
    status = hy_server_driver_status(status, err);
    if (status != HY_STATUS_OK || !hy_server_holds_are_truncated(holds))
        return status;
    (void)hy_fail(err, HY_FAILED, "memory of the request was truncated");
    return HY_STATUS_GENERAL_FAILURE;
}

static int32_t make_result(struct hy_server_channel *channel, uint32_t count,
                           struct hy_result *result, struct hy_error *err)
{
    *result = (struct hy_result){
        .struct_size = sizeof *result,
        .output_count = count,
        .outputs = hy_server_shapes(channel, count),
        .time_on_device = HY_NO_TIME,
        .time_in_driver = HY_NO_TIME,
    };
    if (result->outputs)
        return HY_STATUS_OK;
    (void)hy_fail(err, HY_OUT_OF_MEMORY, "shapes of %u outputs", count);
    return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
}

/* ---- Once ------------------------------------------------------------------------------------ */

static int32_t run(struct hy_server_channel *channel, const struct hy_server_object *prepared,
                   const struct hy_request *request, struct hy_run_options *options,
                   struct hy_error *err)
{
    struct hy_server_call_slot call_slot;
    struct hy_result result;

    int32_t status = make_result(channel, request->output_count, &result, err);
    if (status == HY_STATUS_OK)
        status = hy_server_channel_acquire_slot(channel, options->deadline, &call_slot, err);
    if (status != HY_STATUS_OK)
        return status;
    options->message = hy_server_message(err);
    options->cancelled = &channel->cancelled;
    status = prepared->table->execute(prepared->driver_object, request, options, &result);
    hy_server_call_slot_release(&call_slot);
    status = end_run(status, &channel->holds, err);
    if (status == HY_STATUS_OK && hy_server_holds_are_truncated(&prepared->holds)) {
        (void)hy_fail(err, HY_FAILED, "memory of the model was truncated");
        status = HY_STATUS_GENERAL_FAILURE;
    }
    return hy_server_pack_result(channel, status, &result, err);
}

int32_t hy_server_execute(struct hy_server_channel *channel, struct hy_unpack *in,
                          struct hy_error *err)
{
    struct hy_request request = {0};
    struct hy_run_options options = {0};
    struct hy_pool *pools = NULL;

    hy_request_unpack(in, &request, &pools);
    hy_run_options_unpack(in, &options);
    int32_t status = hy_server_end_read(in);
    if (status != HY_STATUS_OK)
        return status;
    struct hy_server_object *prepared = hy_server_find_object(channel, HY_SERVER_PREPARED, err);
    if (!prepared)
        return HY_STATUS_INVALID_ARGUMENT;
    struct hy_server_reservation *memory = NULL;
    status = hy_server_hold_pools(channel, prepared->table, &channel->holds, pools,
                                  request.pool_count, err);
    if (status == HY_STATUS_OK)
        status = hy_status_of(hy_request_check_ranges(&request, err));
    if (status == HY_STATUS_OK)
        status = hy_server_charge(channel, prepared->run_bytes, &memory, err);
    if (status == HY_STATUS_OK)
        status = run(channel, prepared, &request, &options, err);
    hy_server_release(memory);
    hy_server_object_put(&channel->server->objects, prepared);
    return status;
}

/* ---- Again and again ------------------------------------------------------------------------- */

/* The request and options of a reusable; valid during its whole life. */
struct repeated {
    struct hy_request request;
    struct hy_run_options options;
};

static bool hold_parent(struct hy_server_channel *channel, struct hy_server_object *object,
                        struct hy_server_object *parent)
{
    object->parents = hy_arena_alloc(&object->arena, sizeof(struct hy_server_object *));
    if (!object->parents)
        return false;
    hy_server_object_hold(&channel->server->objects, parent);
    object->parents[0] = parent;
    object->parent_count = 1;
    return true;
}

/* Reads the call into the object's arena, so the views live as long as the object. */
static int32_t read_request(struct hy_server_channel *channel, struct hy_server_object *object,
                            struct repeated **ret, struct hy_error *err)
{
    struct repeated *repeated = hy_arena_alloc(&object->arena, sizeof *repeated);
    struct hy_pool *pools = NULL;
    struct hy_unpack in;
    if (!repeated)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;

    *repeated = (struct repeated){0};
    hy_incoming_unpack(&channel->call, &object->arena, &in, err);
    hy_unpack_retain(&in);
    hy_request_unpack(&in, &repeated->request, &pools);
    hy_run_options_unpack(&in, &repeated->options);
    int32_t status = hy_server_end_read(&in);
    if (status == HY_STATUS_OK)
        status = hy_server_hold_pools(channel, object->table, &object->holds, pools,
                                      repeated->request.pool_count, err);
    if (status == HY_STATUS_OK)
        status = hy_status_of(hy_request_check_ranges(&repeated->request, err));
    if (status == HY_STATUS_OK)
        *ret = repeated;
    return status;
}

static int32_t fill_reusable(struct hy_server_channel *channel,
                             const struct hy_server_object *prepared,
                             struct hy_server_object *object, struct hy_error *err)
{
    struct repeated *repeated = NULL;

    int32_t status = read_request(channel, object, &repeated, err);
    if (status != HY_STATUS_OK)
        return status;
    object->extra = repeated;
    repeated->options.message = hy_server_message(err);
    repeated->options.cancelled = &channel->server->cancelled; /* later runs may use any channel */
    status = prepared->table->reusable_create(prepared->driver_object, &repeated->request,
                                              &repeated->options, &object->driver_object);
    repeated->options.message = (struct hy_message){0};
    err->text[sizeof err->text - 1] = '\0';
    status = hy_server_driver_status(status, err);
    if (status != HY_STATUS_OK)
        object->driver_object = NULL;
    else if (!object->driver_object)
        status = HY_STATUS_GENERAL_FAILURE;
    return status;
}

int32_t hy_server_reusable_create(struct hy_server_channel *channel, struct hy_unpack *in,
                                  struct hy_error *err)
{
    (void)in; /* the body is read again, into the object */
    struct hy_server_object *prepared = hy_server_find_object(channel, HY_SERVER_PREPARED, err);
    if (!prepared)
        return HY_STATUS_INVALID_ARGUMENT;
    struct hy_server_object *object =
        hy_server_object_create(&channel->server->objects, HY_SERVER_REUSABLE, prepared->table);
    int32_t status = HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    if (!prepared->table->reusable_create)
        status = HY_STATUS_GENERAL_FAILURE;
    else if (object && hold_parent(channel, object, prepared))
        status = hy_server_charge(channel, prepared->run_bytes, &object->memory, err);
    if (status == HY_STATUS_OK)
        status = fill_reusable(channel, prepared, object, err);
    hy_server_object_put(&channel->server->objects, prepared);
    if (status == HY_STATUS_OK)
        return hy_server_register_object(channel, object, err);
    hy_server_object_destroy(&channel->server->objects, object);
    return status;
}

int32_t hy_server_reusable_execute(struct hy_server_channel *channel, struct hy_unpack *in,
                                   struct hy_error *err)
{
    struct hy_deadline deadline = {0};
    struct hy_server_call_slot call_slot;
    struct hy_result result;

    hy_deadline_unpack(in, &deadline);
    int32_t status = hy_server_end_read(in);
    if (status != HY_STATUS_OK)
        return status;
    struct hy_server_object *object = hy_server_find_object(channel, HY_SERVER_REUSABLE, err);
    if (!object)
        return HY_STATUS_INVALID_ARGUMENT;
    const struct repeated *repeated = object->extra;
    status = make_result(channel, repeated->request.output_count, &result, err);
    if (status == HY_STATUS_OK) {
        pthread_mutex_lock(&object->busy);
        status = hy_server_channel_acquire_slot(channel, deadline.at, &call_slot, err);
        if (status == HY_STATUS_OK) {
            status = object->table->reusable_execute(object->driver_object, deadline.at, &result);
            hy_server_call_slot_release(&call_slot);
        }
        pthread_mutex_unlock(&object->busy);
        status = end_run(status, &object->holds, err);
        status = hy_server_pack_result(channel, status, &result, err);
    }
    hy_server_object_put(&channel->server->objects, object);
    return status;
}
