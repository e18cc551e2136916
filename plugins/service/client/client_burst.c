#include "plugins/service/client/client_burst.h"

#include "common/list.h"
#include "plugins/service/client/burst_endpoint.h"
#include "plugins/service/client/connection/timed_out_call.h"

#include <stdlib.h>

/*
 * A burst. Its endpoint is lost with the process and created again in the next process, by the
 * executing thread only. If the driver accepts several requests at once, bursts of one prepared
 * model share an endpoint, up to one burst per request.
 */
struct hy_service_burst {
    struct hy_service_prepared *prepared;
    struct hy_sent_request sent;

    /* No live endpoint holds memory. burst_release checks the flag before the lock: in a child of
     * fork(), a lost thread may hold the locks of a burst. */
    atomic_bool is_idle;
    pthread_mutex_t lock;               /* protects `end` against releases from other threads */
    struct hy_burst_endpoint *end;      /* NULL: no endpoint in any process */
    LIST_ENTRY(hy_service_burst) entry; /* in hy_connection.bursts */
    atomic_bool is_running;             /* a thread waits for an execution */
};

static void died(struct hy_connection *connection)
{
    struct hy_service_burst *burst;

    LIST_FOREACH (burst, &connection->bursts, entry) {
        atomic_store_explicit(&burst->is_idle, true, memory_order_relaxed);
        hy_queue_burst_set_dead(burst->end->queue);
    }
}

/* Closes the copies of the sockets, so that the parent alone keeps the connection open. */
static void disowned(struct hy_connection *connection)
{
    struct hy_service_burst *burst;

    LIST_FOREACH (burst, &connection->bursts, entry) {
        atomic_store_explicit(&burst->is_idle, true, memory_order_relaxed);
        hy_queue_burst_disown(burst->end->queue);
        hy_socket_finish(&burst->end->channel->socket);
    }
}

/* ---- Executions that were given up ----------------------------------------------------------- */

static bool catch_up(struct hy_connection *connection, int64_t earliest)
{
    bool is_stuck = false;
    struct hy_service_burst *burst;

    LIST_FOREACH (burst, &connection->bursts, entry) {
        hy_burst_endpoint_catch_up(burst->end);
        is_stuck |=
            hy_burst_endpoint_has_timeouts(burst->end) && burst->end->last_timeout < earliest;
    }
    return is_stuck;
}

static bool meet(const struct hy_connection *connection, const struct hy_request *request)
{
    const struct hy_service_burst *burst;

    LIST_FOREACH (burst, &connection->bursts, entry) {
        if (hy_timed_out_uses_conflict(&burst->end->timed_out_uses, request))
            return true;
    }
    return false;
}

static bool are_running(const struct hy_connection *connection)
{
    const struct hy_service_burst *burst;

    LIST_FOREACH (burst, &connection->bursts, entry) {
        if (atomic_load_explicit(&burst->is_running, memory_order_relaxed))
            return true;
    }
    return false;
}

static const struct hy_burst_events events = {
    .died = died,
    .disowned = disowned,
    .catch_up = catch_up,
    .meet = meet,
    .are_running = are_running,
};

/* ---- Opening --------------------------------------------------------------------------------- */

static void set_end(struct hy_service_burst *burst, struct hy_burst_endpoint *end)
{
    pthread_mutex_lock(&burst->lock);
    burst->end = end;
    pthread_mutex_unlock(&burst->lock);
}

/* The caller holds the connection's lock. From here on the burst is notified when the process
 * dies. */
static void list_add(struct hy_service_burst *burst, struct hy_connection *connection)
{
    const bool is_dead = hy_connection_is_dead(connection);

    connection->burst_events = &events;
    LIST_INSERT_HEAD(&connection->bursts, burst, entry);
    atomic_store_explicit(&burst->is_idle, is_dead, memory_order_relaxed);
    if (is_dead)
        hy_queue_burst_set_dead(burst->end->queue);
}

/* The caller holds the connection's lock. */
static void list_remove(struct hy_service_burst *burst)
{
    HY_LIST_REMOVE(burst, entry);
    atomic_store_explicit(&burst->is_idle, true, memory_order_relaxed);
}

/* The caller holds the connection's lock. Finds an endpoint of the same prepared model with
 * capacity for another burst. */
static struct hy_burst_endpoint *find_shared(const struct hy_service_burst *burst,
                                             const struct hy_connection *connection, uint32_t depth)
{
    const struct hy_service_burst *other;

    LIST_FOREACH (other, &connection->bursts, entry) {
        if (other->prepared == burst->prepared && other->end->ref_count < depth)
            return other->end;
    }
    return NULL;
}

/* Acquires the two locks one after the other, never nested. The lock order is: burst, queue,
 * connection. */
static void join(struct hy_service_burst *burst, struct hy_connection *connection,
                 struct hy_burst_endpoint *end)
{
    set_end(burst, end);
    pthread_mutex_lock(&connection->lock);
    list_add(burst, connection);
    pthread_mutex_unlock(&connection->lock);
}

static bool attach_to_endpoint(struct hy_service_burst *burst, struct hy_connection *connection,
                               uint32_t depth)
{
    pthread_mutex_lock(&connection->lock);
    struct hy_burst_endpoint *end = find_shared(burst, connection, depth);
    if (end)
        end->ref_count++;
    pthread_mutex_unlock(&connection->lock);
    if (end)
        join(burst, connection, end);
    return end;
}

static int32_t open_own_end(struct hy_service_burst *burst, struct hy_connection *connection,
                            uint64_t id, uint32_t depth, int64_t deadline, struct hy_error *err)
{
    struct hy_burst_endpoint *end = NULL;

    const int32_t status = hy_burst_endpoint_open(burst->prepared->device->service, connection, id,
                                                  depth, deadline, &end, err);
    if (status == HY_STATUS_OK)
        join(burst, connection, end);
    return status;
}

static int32_t open_end(struct hy_service_burst *burst, int64_t deadline, struct hy_error *err)
{
    struct hy_connection *connection = NULL;
    uint64_t id = 0;

    int32_t status = hy_service_prepared_locate(burst->prepared, deadline, &connection, &id, err);
    if (status != HY_STATUS_OK)
        return status;
    const uint32_t depth =
        connection->hello_info.devices[burst->prepared->device->index].info.burst_depth;
    if (depth <= 1 || !attach_to_endpoint(burst, connection, depth))
        status = open_own_end(burst, connection, id, depth, deadline, err);
    hy_connection_release(connection);
    return status;
}

static void close_end(struct hy_service_burst *burst)
{
    struct hy_burst_endpoint *end = burst->end;
    if (!end)
        return;

    pthread_mutex_lock(&end->connection->lock);
    list_remove(burst);
    const bool was_last = --end->ref_count == 0;
    if (was_last && hy_burst_endpoint_has_timeouts(end) && !hy_connection_is_dead(end->connection))
        hy_burst_endpoint_leave(end);
    pthread_mutex_unlock(&end->connection->lock);
    set_end(burst, NULL);
    if (was_last)
        hy_burst_endpoint_close(end);
}

/* Returns whether the failure may be gone at the next execution: the process has ended, hangs or is
 * busy. */
static bool is_passing(int32_t status)
{
    return status == HY_STATUS_MISSED_DEADLINE_TRANSIENT ||
           status == HY_STATUS_DEVICE_UNAVAILABLE || status == HY_STATUS_DEAD_OBJECT;
}

/* Opens a burst. If the process does not open an endpoint soon, the burst starts without one: no
 * execution waits for an endpoint yet. */
static int32_t burst_open(void *prepared, void **ret)
{
    struct hy_service_burst *burst = calloc(1, sizeof *burst);
    struct hy_error err;
    if (!burst)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;

    burst->prepared = prepared;
    atomic_init(&burst->is_idle, true);
    atomic_init(&burst->is_running, false);
    pthread_mutex_init(&burst->lock, NULL);
    const int32_t status =
        open_end(burst, hy_service_until(HY_NO_DEADLINE, HY_SERVICE_NOTIFY_NS), &err);
    if (status != HY_STATUS_OK && !is_passing(status)) {
        pthread_mutex_destroy(&burst->lock);
        free(burst);
        return status;
    }
    *ret = burst;
    return HY_STATUS_OK;
}

static void burst_close(void *self)
{
    struct hy_service_burst *burst = self;
    if (!burst)
        return;

    close_end(burst);
    hy_sent_request_finish(&burst->sent);
    pthread_mutex_destroy(&burst->lock);
    free(burst);
}

/* ---- Executing ------------------------------------------------------------------------------- */

static void burst_release(void *self, uint64_t pool_id)
{
    struct hy_service_burst *burst = self;

    if (atomic_load_explicit(&burst->is_idle, memory_order_relaxed))
        return;
    pthread_mutex_lock(&burst->lock);
    if (burst->end)
        hy_queue_burst_release(burst->end->queue, pool_id);
    pthread_mutex_unlock(&burst->lock);
}

static void note_timeout(struct hy_service_burst *burst)
{
    struct hy_connection *connection = burst->end->connection;

    pthread_mutex_lock(&connection->lock);
    hy_burst_endpoint_note_timeout(burst->end, &burst->sent.request);
    pthread_mutex_unlock(&connection->lock);
}

static void explain_death(struct hy_connection *connection, struct hy_error *err)
{
    char end[HY_ERROR_TEXT_SIZE];

    hy_connection_end(connection, end, sizeof end);
    (void)hy_fail(err, HY_DEAD, "%s during burst_execute", end);
}

static int32_t run(struct hy_service_burst *burst, const struct hy_request *request,
                   const struct hy_run_options *options, struct hy_result *result,
                   struct hy_error *err)
{
    struct hy_connection *connection = burst->end->connection;
    const struct hy_call_limits limits =
        hy_service_limits(burst->prepared->device->service, options->deadline, 1);

    enum hy_code code = hy_sent_request_bind(&burst->sent, connection, request, err);
    if (code == HY_OK)
        code = hy_timed_out_calls_await(connection, &burst->sent.request, &limits, err);
    if (code != HY_OK)
        return hy_status_of(code);
    atomic_store_explicit(&burst->is_running, true, memory_order_relaxed);
    const int32_t status =
        hy_queue_burst_execute(burst->end->queue, &burst->sent.request, options, result);
    if (status == HY_STATUS_MISSED_DEADLINE_TRANSIENT)
        note_timeout(burst);
    if (status == HY_STATUS_DEAD_OBJECT)
        explain_death(connection, err);
    else if (status == HY_STATUS_MISSED_DEADLINE_TRANSIENT)
        (void)hy_fail(err, HY_MISSED_DEADLINE,
                      "an execution of a burst did not finish by its deadline");
    atomic_store_explicit(&burst->is_running, false, memory_order_relaxed);
    return status;
}

/* The process may have dropped memory before a slot named it. The ordinary call sends the memory
 * again, and the slots start anew. */
static void invalidate_slots(struct hy_service_burst *burst, const struct hy_request *request)
{
    for (uint32_t i = 0; i < request->pool_count; i++) {
        if (request->pools[i].id != 0)
            burst_release(burst, request->pools[i].id);
    }
}

/* The service ended in good order, and the execution was not begun or ended with the service. The
 * ordinary call goes to the next service process, and later so does the burst. */
static bool is_lost(const struct hy_service_burst *burst, int32_t status)
{
    const bool is_unanswered =
        status == HY_STATUS_DEAD_OBJECT || status == HY_STATUS_GENERAL_FAILURE;

    return is_unanswered && burst->end && !hy_queue_burst_is_open(burst->end->queue) &&
           hy_connection_await_farewell(burst->end->connection);
}

static int32_t burst_execute(void *self, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result)
{
    struct hy_service_burst *burst = self;
    struct hy_error err = {0};
    int32_t status = HY_STATUS_OK;

    if (!hy_service_check_capacity(request, result, &err))
        return hy_status_fail(&options->message, HY_STATUS_INVALID_ARGUMENT, &err);
    if (burst->end && hy_connection_is_dead(burst->end->connection))
        close_end(burst);
    if (!burst->end)
        status = open_end(burst, options->deadline, &err);
    if (!burst->end && status == HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT)
        return hy_service_execute(burst->prepared, request, options, result);
    if (burst->end)
        status = run(burst, request, options, result, &err);
    if (is_lost(burst, status))
        return hy_service_execute(burst->prepared, request, options, result);
    if (status == HY_STATUS_INVALID_ARGUMENT && burst->end)
        invalidate_slots(burst, request);
    if (status == HY_QUEUE_ORDINARY || status == HY_STATUS_INVALID_ARGUMENT)
        return hy_service_execute(burst->prepared, request, options, result);
    if (status != HY_STATUS_OK && err.text[0] != '\0')
        return hy_status_fail(&options->message, status, &err);
    return status; /* with the driver's message, if any */
}

void hy_service_fill_bursts(struct hy_device *table)
{
    table->burst_open = burst_open;
    table->burst_execute = burst_execute;
    table->burst_release = burst_release;
    table->burst_close = burst_close;
}
