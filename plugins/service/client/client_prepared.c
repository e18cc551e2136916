#include "plugins/service/client/client_prepared.h"

#include "plugins/service/client/saved_options.h"
#include "plugins/service/client/successor.h"
#include "plugins/service/wire/options.h"

#include <stdio.h>
#include <stdlib.h>

/* Number of successive deaths while restoring a model after which its cache files are not used
 * again. The first process may have been killed by chance. */
#define MOST_RESTORE_DEATHS 2u

/* ---- Preparing ------------------------------------------------------------------------------- */

/* With `from_cache` the call has no model, only the files of the options. */
static int32_t call_prepare(struct hy_service_prepared *prepared, struct hy_channel *channel,
                            const struct hy_prepare_options *options, bool from_cache,
                            const struct hy_call_limits *limits, struct hy_error *err)
{
    const struct hy_saved_model *model = &prepared->model;
    struct hy_unpack in;

    hy_outgoing_begin(&channel->call, from_cache ? HY_WIRE_PREPARE_FROM_CACHE : HY_WIRE_PREPARE,
                      prepared->device->index);
    if (!from_cache)
        hy_pack_append(&channel->call.body, &model->body);
    hy_prepare_options_pack(&channel->call.body, options);
    const int32_t status =
        hy_channel_call(channel, model->pools, from_cache ? 0 : model->pool_count, limits, err);
    if (status != HY_STATUS_OK)
        return status;
    hy_channel_read(channel, &in, err);
    return hy_channel_end_read(channel, &in, err);
}

/* Cache files belong to the driver build that the app knows. Another build neither reads nor writes
 * cache files. */
static bool may_use_files(const struct hy_service_prepared *prepared,
                          const struct hy_connection *connection)
{
    return hy_successor_can_use_files(&prepared->device->service->hello_info,
                                      &connection->hello_info, prepared->device->index);
}

static void remove_files(struct hy_prepare_options *options)
{
    options->model_cache_count = options->data_cache_count = 0;
    options->token = NULL;
}

static int32_t refuse_files(const struct hy_service_prepared *prepared,
                            const struct hy_connection *connection, struct hy_error *err)
{
    const uint32_t index = prepared->device->index;
    char was[HY_BUILD_TEXT_SIZE], is[HY_BUILD_TEXT_SIZE];

    hy_successor_describe_build(&prepared->device->service->hello_info, index, was);
    hy_successor_describe_build(&connection->hello_info, index, is);
    (void)hy_fail(err, HY_UNAVAILABLE,
                  "the cache files belong to another build (%s; the driver is now %s)", was, is);
    return HY_STATUS_DEVICE_UNAVAILABLE;
}

/* Status of a call that was not made. The death of a process that did not use the cache files does
 * not count against the files. */
static int32_t status_before_call(int32_t status, bool from_cache)
{
    return from_cache && status == HY_STATUS_DEAD_OBJECT ? HY_STATUS_DEVICE_UNAVAILABLE : status;
}

/* Prepares the model in the process of `connection`. On success, `prepared` refers to the process.
 * DEAD_OBJECT with `from_cache`: the process ended while using the files. */
static int32_t prepare_there(struct hy_service_prepared *prepared, struct hy_connection *connection,
                             const struct hy_prepare_options *given, bool from_cache,
                             struct hy_error *err)
{
    const struct hy_call_limits limits =
        hy_service_limits(prepared->device->service, given->deadline, HY_SERVICE_PREPARE_FACTOR);
    struct hy_prepare_options options = *given;
    struct hy_channel *channel = NULL;

    if (!may_use_files(prepared, connection)) {
        if (from_cache)
            return refuse_files(prepared, connection, err);
        remove_files(&options);
    }
    enum hy_code code = hy_channel_acquire(connection, &limits, &channel, err);
    if (code != HY_OK)
        return status_before_call(hy_status_of(code), from_cache);
    const int32_t status = call_prepare(prepared, channel, &options, from_cache, &limits, err);
    if (status == HY_STATUS_OK) {
        struct hy_connection *old = prepared->connection;
        prepared->connection = hy_connection_retain(connection);
        prepared->id = channel->reply.header.object;
        hy_connection_release(old);
    }
    hy_channel_release(channel);
    return status;
}

static struct hy_service_prepared *create(struct hy_service_device *device)
{
    struct hy_service_prepared *prepared = calloc(1, sizeof *prepared);
    if (!prepared)
        return NULL;

    prepared->device = device;
    pthread_mutex_init(&prepared->lock, NULL);
    hy_saved_model_init(&prepared->model);
    return prepared;
}

/* `*has_left`: the service ended in good order before the call. */
static int32_t connect_and_prepare(struct hy_service_prepared *prepared,
                                   const struct hy_prepare_options *options, bool from_cache,
                                   bool *has_left, struct hy_error *err)
{
    struct hy_connection *connection = NULL;

    *has_left = false;
    int32_t status = hy_service_connect_after_delay(prepared->device->service, options->deadline,
                                                    &connection, err);
    if (status != HY_STATUS_OK)
        return status_before_call(status, from_cache);
    status = prepare_there(prepared, connection, options, from_cache, err);
    *has_left = status != HY_STATUS_OK && hy_connection_has_left(connection);
    hy_connection_release(connection);
    return status;
}

static int32_t prepare_first(struct hy_service_prepared *prepared,
                             const struct hy_prepare_options *options, bool from_cache,
                             struct hy_error *err)
{
    bool has_left;

    enum hy_code code = hy_saved_options_create(options, &prepared->options, err);
    if (code != HY_OK)
        return hy_status_of(code);
    const int32_t status = connect_and_prepare(prepared, options, from_cache, &has_left, err);
    return has_left ? connect_and_prepare(prepared, options, from_cache, &has_left, err) : status;
}

static int32_t prepare_model(struct hy_service_prepared *prepared, const struct hy_model *model,
                             const struct hy_prepare_options *options, struct hy_error *err)
{
    enum hy_code code = hy_saved_model_make(&prepared->model, model, err);

    prepared->has_model = true;
    return code == HY_OK ? prepare_first(prepared, options, false, err) : hy_status_of(code);
}

static int32_t end_prepare(struct hy_service_prepared *prepared,
                           const struct hy_prepare_options *options, int32_t status,
                           const struct hy_error *err, void **ret)
{
    if (status == HY_STATUS_OK) {
        *ret = prepared;
        return status;
    }
    hy_service_prepared_destroy(prepared);
    return hy_status_fail(&options->message, status, err);
}

int32_t hy_service_prepare(void *self, const struct hy_model *model,
                           const struct hy_prepare_options *options, void **ret)
{
    struct hy_service_prepared *prepared = create(self);
    struct hy_error err = {0};

    if (!prepared)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    const int32_t status = prepare_model(prepared, model, options, &err);
    return end_prepare(prepared, options, status, &err, ret);
}

int32_t hy_service_prepare_from_cache(void *self, const struct hy_prepare_options *options,
                                      void **ret)
{
    struct hy_service_prepared *prepared = create(self);
    struct hy_error err = {0};

    if (!prepared)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    const int32_t status = prepare_first(prepared, options, true, &err);
    return end_prepare(prepared, options, status, &err, ret);
}

void hy_service_save_model(void *self, const struct hy_model *model)
{
    struct hy_service_prepared *prepared = self;
    struct hy_saved_model saved;
    struct hy_error ignored;

    hy_saved_model_init(&saved);
    if (hy_saved_model_make(&saved, model, &ignored) != HY_OK) {
        hy_saved_model_finish(&saved);
        return;
    }
    pthread_mutex_lock(&prepared->lock);
    hy_saved_model_finish(&prepared->model);
    prepared->model = saved;
    prepared->has_model = true;
    pthread_mutex_unlock(&prepared->lock);
}

void hy_service_prepared_destroy(void *self)
{
    struct hy_service_prepared *prepared = self;
    if (!prepared)
        return;

    if (prepared->connection && !hy_connection_is_dead(prepared->connection)) {
        const struct hy_call_limits limits =
            hy_service_limits(prepared->device->service, HY_NO_DEADLINE, HY_SERVICE_PREPARE_FACTOR);
        hy_channel_notify(prepared->connection, HY_WIRE_PREPARED_DESTROY, prepared->id,
                          limits.hang_timeout_ns);
    }
    hy_connection_release(prepared->connection);
    hy_saved_model_finish(&prepared->model);
    hy_saved_options_destroy(prepared->options);
    pthread_mutex_destroy(&prepared->lock);
    free(prepared);
}

/* ---- Preparing again ------------------------------------------------------------------------- */

static bool has_files(const struct hy_service_prepared *prepared,
                      const struct hy_connection *connection)
{
    const struct hy_prepare_options *options = &prepared->options->options;

    return options->token && options->model_cache_count + options->data_cache_count > 0 &&
           prepared->restore_deaths < MOST_RESTORE_DEATHS && may_use_files(prepared, connection);
}

static int32_t restore_again(struct hy_service_prepared *prepared, struct hy_connection *connection,
                             const struct hy_prepare_options *options, struct hy_error *err)
{
    const int32_t status = prepare_there(prepared, connection, options, true, err);

    if (status == HY_STATUS_OK)
        prepared->restore_deaths = 0;
    else if (status == HY_STATUS_DEAD_OBJECT)
        prepared->restore_deaths++;
    return status;
}

/* The caller holds the lock. Tries the cache first, as restoring is faster. */
static int32_t prepare_again(struct hy_service_prepared *prepared, struct hy_connection *connection,
                             int64_t deadline, struct hy_error *err)
{
    struct hy_prepare_options options = prepared->options->options;
    int32_t status = HY_STATUS_GENERAL_FAILURE;

    options.deadline = deadline;
    if (has_files(prepared, connection))
        status = restore_again(prepared, connection, &options, err);
    if (status == HY_STATUS_OK || hy_connection_is_dead(connection))
        return status;
    if (!prepared->has_model) {
        (void)hy_error_prefix(err, HY_FAILED,
                              "the model came from the cache, and the entry no longer serves");
        return HY_STATUS_GENERAL_FAILURE;
    }
    remove_files(&options);
    return prepare_there(prepared, connection, &options, false, err);
}

/* Extends the message. A new driver build may refuse operations that the old build accepted. The
 * remedy is to compile again, which asks the new build for its supported operations. */
static void explain_failure(const struct hy_service_prepared *prepared,
                            const struct hy_connection *connection, struct hy_error *err)
{
    const uint32_t index = prepared->device->index;
    const struct hy_error why = *err;
    char was[HY_BUILD_TEXT_SIZE], is[HY_BUILD_TEXT_SIZE];

    hy_error_prefix(err, err->code, "preparing the model again in process %d",
                    (int)connection->pid);
    if (may_use_files(prepared, connection))
        return;
    hy_successor_describe_build(&prepared->device->service->hello_info, index, was);
    hy_successor_describe_build(&connection->hello_info, index, is);
    (void)hy_fail(
        err, why.code,
        "the app must compile the model again, as the driver is another build (%s; was %s): %.160s",
        is, was, why.text);
}

/* `*has_left` as in connect_and_prepare. */
static int32_t find_new_connection(struct hy_service_prepared *prepared, int64_t deadline,
                                   bool *has_left, struct hy_error *err)
{
    struct hy_connection *connection = NULL;

    *has_left = false;
    int32_t status = hy_service_connect(prepared->device->service, deadline, &connection, err);
    if (status != HY_STATUS_OK)
        return status;
    status = prepare_again(prepared, connection, deadline, err);
    *has_left = status != HY_STATUS_OK && hy_connection_has_left(connection);
    if (status != HY_STATUS_OK)
        explain_failure(prepared, connection, err);
    hy_connection_release(connection);
    return status;
}

static int32_t find_connection(struct hy_service_prepared *prepared, int64_t deadline,
                               struct hy_error *err)
{
    bool has_left;

    if (!hy_connection_is_dead(prepared->connection))
        return HY_STATUS_OK;
    const int32_t status = find_new_connection(prepared, deadline, &has_left, err);
    return has_left ? find_new_connection(prepared, deadline, &has_left, err) : status;
}

int32_t hy_service_prepared_locate(struct hy_service_prepared *prepared, int64_t deadline,
                                   struct hy_connection **connection, uint64_t *id,
                                   struct hy_error *err)
{
    if (!hy_service_lock(&prepared->lock, deadline)) {
        (void)hy_fail(err, HY_MISSED_DEADLINE, "the model is being prepared again");
        return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
    }
    const int32_t status = find_connection(prepared, deadline, err);
    if (status == HY_STATUS_OK) {
        *connection = hy_connection_retain(prepared->connection);
        *id = prepared->id;
    }
    pthread_mutex_unlock(&prepared->lock);
    return status;
}

static int32_t enter(struct hy_service_prepared *prepared, const struct hy_call_limits *limits,
                     struct hy_channel **channel, uint64_t *id, bool *has_left,
                     struct hy_error *err)
{
    struct hy_connection *connection = NULL;

    *has_left = false;
    const int32_t status =
        hy_service_prepared_locate(prepared, limits->deadline, &connection, id, err);
    if (status != HY_STATUS_OK)
        return status;
    enum hy_code code = hy_channel_acquire(connection, limits, channel, err);
    *has_left = code != HY_OK && hy_connection_has_left(connection);
    hy_connection_release(connection);
    return hy_status_of(code);
}

int32_t hy_service_prepared_enter(struct hy_service_prepared *prepared,
                                  const struct hy_call_limits *limits, struct hy_channel **channel,
                                  uint64_t *id, struct hy_error *err)
{
    bool has_left;

    const int32_t status = enter(prepared, limits, channel, id, &has_left, err);
    return has_left ? enter(prepared, limits, channel, id, &has_left, err) : status;
}
