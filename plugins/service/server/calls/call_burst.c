#include "plugins/service/server/calls/call_burst.h"

#include "common/call_watchdog.h"
#include "common/status.h"
#include "plugins/service/queue/listener.h"
#include "plugins/service/queue/queue_burst.h"
#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/clients/quota.h"
#include "plugins/service/wire/bursts.h"

#include <inttypes.h>
#include <stdlib.h>

#define SLOTS        64u
#define MOST_NOTICES (2 * SLOTS)

/* A change of a slot's memory. */
struct notice {
    uint32_t slot;
    struct hy_server_memory *memory; /* held; NULL: the slot is free */
};

/*
 * A burst. The channel's thread reads notices; the listener's thread applies the notices and
 * executes requests.
 */
struct hy_server_burst {
    struct hy_server *server;
    uint32_t *cancelled;                  /* of the channel; used by all requests */
    uint64_t *served;                     /* of the channel; incremented by the listener's thread */
    struct hy_server_object *prepared;    /* held */
    struct hy_server_reservation *memory; /* see hy_server_charge; NULL: none */
    struct hy_queue_listener *listener;

    pthread_mutex_t lock; /* protects the members below, up to the listener thread's */
    pthread_cond_t has_news;
    struct notice pending[MOST_NOTICES];
    uint32_t pending_count;
    uint32_t read_count; /* number of notices read */
    bool is_over;

    /* Used only by the listener's thread while it runs. */
    struct hy_server_memory *slots[SLOTS];
    struct hy_server_holds holds; /* buffers of the request */
    void *opened;                 /* the driver's burst; NULL: none */
};

/* ---- On the listener's thread ---------------------------------------------------------------- */

static void clear_slot(struct hy_server_burst *burst, uint32_t slot)
{
    struct hy_server_memory *memory = burst->slots[slot];
    if (!memory)
        return;

    burst->slots[slot] = NULL;
    if (burst->opened && memory->pool.id != 0)
        burst->prepared->table->burst_release(burst->opened, memory->pool.id);
    hy_server_memory_put(&burst->server->memories, memory);
}

static int32_t catch_up(void *context, uint32_t notices)
{
    struct hy_server_burst *burst = context;
    struct notice news[MOST_NOTICES];

    pthread_mutex_lock(&burst->lock);
    while ((int32_t)(burst->read_count - notices) < 0 && !burst->is_over)
        pthread_cond_wait(&burst->has_news, &burst->lock);
    const bool is_behind = (int32_t)(burst->read_count - notices) < 0;
    const uint32_t count = burst->pending_count;
    for (uint32_t i = 0; i < count; i++)
        news[i] = burst->pending[i];
    burst->pending_count = 0;
    pthread_mutex_unlock(&burst->lock);
    for (uint32_t i = 0; i < count; i++) {
        clear_slot(burst, news[i].slot);
        burst->slots[news[i].slot] = news[i].memory;
    }
    return is_behind ? HY_STATUS_DEAD_OBJECT : HY_STATUS_OK;
}

static int32_t find_memory(void *context, int32_t slot, struct hy_pool *pool)
{
    const struct hy_server_burst *burst = context;

    if (slot < 0 || slot >= (int32_t)SLOTS || !burst->slots[slot])
        return HY_STATUS_INVALID_ARGUMENT;
    const struct hy_pool *found = &burst->slots[slot]->pool;
    if (found->kind == HY_POOL_HARDWARE_BUFFER &&
        !hy_server_supports_images(burst->server->driver, burst->prepared->table))
        return HY_STATUS_INVALID_ARGUMENT;
    *pool = *found;
    return HY_STATUS_OK;
}

/* Results computed from truncated memory are invalid. */
static bool is_truncated(const struct hy_server_burst *burst, const struct hy_request *request)
{
    for (uint32_t i = 0; i < request->pool_count; i++) {
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            const struct hy_server_memory *memory = burst->slots[slot];
            if (memory && memory->pool.address == request->pools[i].address &&
                atomic_load_explicit(&memory->is_truncated, memory_order_relaxed))
                return true;
        }
    }
    return hy_server_holds_are_truncated(&burst->prepared->holds);
}

/* Without a burst of the driver, requests run as single executions. */
static void open_driver_burst(struct hy_server_burst *burst)
{
    const struct hy_server_object *prepared = burst->prepared;

    if (burst->opened || !prepared->table->burst_open)
        return;
    if (prepared->table->burst_open(prepared->driver_object, &burst->opened) != HY_STATUS_OK)
        burst->opened = NULL;
}

static int32_t execute(void *context, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    struct hy_server_burst *burst = context;
    const struct hy_server_object *prepared = burst->prepared;
    struct hy_server_call_slot call_slot;
    struct hy_error ignored;

    (void)hy_server_act_for(burst->server);
    ++*burst->served;
    int32_t status =
        hy_server_holds_acquire_buffers(&burst->holds, &burst->server->objects, prepared->table,
                                        request->pools, request->pool_count, &ignored);
    if (status != HY_STATUS_OK)
        return status;
    status = hy_server_call_slot_acquire(burst->server, burst->cancelled, options->deadline,
                                         &call_slot, NULL);
    if (status != HY_STATUS_OK) {
        hy_server_holds_drop(&burst->holds, &burst->server->objects);
        return status;
    }
    const struct hy_watched_call outer = hy_watchdog_enter(NULL, "burst_execute");
    status = hy_server_driver_status(
        burst->opened ? prepared->table->burst_execute(burst->opened, request, options, result)
                      : prepared->table->execute(prepared->driver_object, request, options, result),
        NULL);
    hy_watchdog_leave(outer);
    hy_server_call_slot_release(&call_slot);
    hy_server_holds_drop(&burst->holds, &burst->server->objects);
    return status == HY_STATUS_OK && is_truncated(burst, request) ? HY_STATUS_GENERAL_FAILURE
                                                                  : status;
}

static int32_t serve(void *context, const struct hy_burst_queues *queues)
{
    struct hy_server_burst *burst = context;
    const struct hy_server_object *prepared = burst->prepared;

    (void)hy_server_act_for(burst->server);
    const int32_t status =
        prepared->table->burst_serve(prepared->driver_object, queues, &burst->opened);
    if (burst->opened)
        return HY_STATUS_OK;
    open_driver_burst(burst);
    return status == HY_STATUS_OK ? HY_STATUS_GENERAL_FAILURE : status;
}

/* ---- Opening and closing --------------------------------------------------------------------- */

static void destroy(struct hy_server_burst *burst)
{
    struct hy_server_memories *memories = &burst->server->memories;

    pthread_mutex_lock(&burst->lock);
    burst->is_over = true;
    pthread_cond_signal(&burst->has_news);
    pthread_mutex_unlock(&burst->lock);
    hy_queue_listener_stop(burst->listener);
    for (uint32_t i = 0; i < SLOTS; i++)
        clear_slot(burst, i);
    for (uint32_t i = 0; i < burst->pending_count; i++) {
        if (burst->pending[i].memory)
            hy_server_memory_put(memories, burst->pending[i].memory);
    }
    if (burst->opened)
        burst->prepared->table->burst_close(burst->opened);
    hy_server_holds_finish(&burst->holds, &burst->server->objects);
    hy_server_release(burst->memory);
    hy_server_object_put(&burst->server->objects, burst->prepared);
    pthread_cond_destroy(&burst->has_news);
    pthread_mutex_destroy(&burst->lock);
    free(burst);
}

/* Returns true if the driver may serve the queues itself. Requests may contain buffer tokens of
 * other clients, and only the server checks tokens. A shared service therefore reads the requests
 * itself if the device has buffers. */
static bool may_serve(const struct hy_server_burst *burst)
{
    const struct hy_device *table = burst->prepared->table;
    return table->burst_serve && (!burst->server->user || !table->buffer_create);
}

static enum hy_code start(struct hy_server_burst *burst, int rings, int peer, struct hy_error *err)
{
    const struct hy_queue_work work = {
        .context = burst,
        .catch_up = catch_up,
        .find_memory = find_memory,
        .execute = execute,
        .serve = may_serve(burst) ? serve : NULL,
    };
    const struct hy_burst_wait_rules wait =
        hy_burst_wait_of_service(burst->server->driver->serve->burst_wait);
    const struct hy_queue_listener_rules rules = {
        .spin_ns = wait.spin_ns,
        .peer_fd = peer,
        .cancelled = burst->cancelled,
        .polls = wait.polls,
    };

    if (!may_serve(burst))
        open_driver_burst(burst);
    return hy_queue_listener_start(rings, &work, &rules, &burst->listener, err);
}

int32_t hy_server_burst_open(struct hy_server_channel *channel, struct hy_unpack *in,
                             struct hy_error *err)
{
    const int rings = hy_unpack_fd(in);
    int32_t status = hy_server_end_read(in);
    if (status != HY_STATUS_OK)
        return status;
    struct hy_server_object *prepared = hy_server_find_object(channel, HY_SERVER_PREPARED, err);
    if (!prepared)
        return HY_STATUS_INVALID_ARGUMENT;
    struct hy_server_burst *burst = calloc(1, sizeof *burst);
    if (!burst) {
        hy_server_object_put(&channel->server->objects, prepared);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    burst->server = channel->server;
    burst->cancelled = &channel->cancelled;
    burst->served = &channel->served;
    burst->prepared = prepared;
    pthread_mutex_init(&burst->lock, NULL);
    pthread_cond_init(&burst->has_news, NULL);
    status = hy_server_charge(channel, prepared->run_bytes, &burst->memory, err);
    if (status == HY_STATUS_OK)
        status = hy_status_of(start(burst, rings, channel->socket.fd, err));
    if (status != HY_STATUS_OK) {
        destroy(burst);
        return status;
    }
    channel->burst = burst;
    return HY_STATUS_OK;
}

/* ---- On the channel's thread ----------------------------------------------------------------- */

/* Returns false if the slot is out of range or the list is full. */
static bool push(struct hy_server_burst *burst, uint64_t slot, struct hy_server_memory *memory)
{
    pthread_mutex_lock(&burst->lock);
    const bool fits = slot < SLOTS && burst->pending_count < MOST_NOTICES;
    if (fits) {
        burst->pending[burst->pending_count++] =
            (struct notice){.slot = (uint32_t)slot, .memory = memory};
        burst->read_count++;
        pthread_cond_signal(&burst->has_news);
    }
    pthread_mutex_unlock(&burst->lock);
    if (!fits && memory)
        hy_server_memory_put(&burst->server->memories, memory);
    return fits;
}

/* Returns NULL if the id is unknown or has a different kind. */
static struct hy_server_memory *find_known(struct hy_server *server, const struct hy_pool *pool)
{
    struct hy_server_memory *memory = hy_server_memories_find(&server->memories, pool->id);

    if (!memory || memory->pool.kind == pool->kind)
        return memory;
    hy_server_memory_put(&server->memories, memory);
    return NULL;
}

/* Unknown memory leaves the slot empty; requests with the slot then fail. */
static bool receive_announcement(struct hy_server_channel *channel, struct hy_error *err)
{
    struct hy_server_memory *memory = NULL;
    struct hy_burst_slot slot = {0};
    struct hy_unpack in;

    hy_incoming_unpack(&channel->call, &channel->arena, &in, err);
    hy_burst_slot_unpack(&in, &slot);
    if (hy_unpack_end(&in) != HY_OK)
        return false;
    if (slot.pool.id != 0) {
        memory = find_known(channel->server, &slot.pool);
    } else if (slot.pool.fd >= 0) {
        hy_incoming_claim_fd(&channel->call, slot.pool.fd);
        if (hy_server_memory_create(&channel->server->memories, &slot.pool, &memory, err) != HY_OK)
            memory = NULL;
    }
    return push(channel->burst, (uint64_t)slot.slot, memory);
}

/* Returns false when the burst has ended. */
static bool receive_notice(struct hy_server_channel *channel, bool *is_closed)
{
    struct hy_error err;
    bool is_good = false;

    if (hy_frame_receive(&channel->socket, &channel->call, HY_NO_DEADLINE, &err) != HY_OK)
        return false;
    const uint32_t kind = channel->call.header.kind;
    *is_closed = kind == HY_WIRE_BURST_CLOSE;
    if (*is_closed)
        return false;
    if (kind == HY_WIRE_BURST_ANNOUNCE)
        is_good = receive_announcement(channel, &err);
    else if (kind == HY_WIRE_BURST_FREE)
        is_good = push(channel->burst, channel->call.header.object, NULL);
    hy_arena_reset(&channel->arena);
    if (!is_good)
        hy_server_give_up(channel->server, "invalid message on the channel of a burst");
    return is_good;
}

void hy_server_burst_serve(struct hy_server_channel *channel)
{
    struct hy_error ignored;
    bool is_closed = false;

    while (receive_notice(channel, &is_closed))
        ;
    /* The client has closed the burst and no longer waits for running requests, so they are
     * cancelled. hy_server_channel_resume clears the word for later calls. */
    if (!hy_server_channel_is_drained(channel)) {
        __atomic_store_n(&channel->cancelled, 1, __ATOMIC_RELAXED);
        hy_server_call_slots_recheck();
    }
    destroy(channel->burst);
    if (is_closed)
        hy_server_channel_resume(channel);
    channel->burst = NULL;
    if (!is_closed)
        return;
    hy_reply_begin(&channel->reply, &channel->call.header, 0);
    (void)!hy_frame_send(&channel->socket, &channel->reply, HY_NO_DEADLINE, &ignored);
}
