#include "plugins/service/server/calls/ask.h"

#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/calls/lock.h"
#include "plugins/service/server/parts.h"
#include "plugins/service/wire/wire_cache.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A pending call, on the stack of the waiting thread. */
struct hy_server_ask {
    struct hy_server *server;
    uint64_t number;
    uint32_t kind; /* kind of the reply */
    bool is_over;
    int32_t status; /* before the reply: the status for a missing reply */
    struct hy_cache_update update;
    int32_t model[HY_MAX_CACHE_FILES];
    int32_t data[HY_MAX_CACHE_FILES];
    LIST_ENTRY(hy_server_ask) entry;
};

void hy_server_asks_init(struct hy_server_asks *asks)
{
    *asks = (struct hy_server_asks){0};
    pthread_mutex_init(&asks->lock, NULL);
    pthread_cond_init(&asks->is_complete, NULL);
}

void hy_server_asks_finish(struct hy_server_asks *asks)
{
    pthread_mutex_destroy(&asks->lock);
    pthread_cond_destroy(&asks->is_complete);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static void list_add(struct hy_server_ask *call)
{
    struct hy_server_asks *asks = &call->server->asks;

    pthread_mutex_lock(&asks->lock);
    call->number = ++asks->last_number;
    call->status = HY_STATUS_GENERAL_FAILURE;
    call->is_over = asks->has_ended;
    LIST_INSERT_HEAD(&asks->list, call, entry);
    pthread_mutex_unlock(&asks->lock);
}

/* Sends the packed control frame, releases control_lock, and waits for the reply. */
static int32_t make_call(struct hy_server_ask *call)
{
    struct hy_server_asks *asks = &call->server->asks;

    hy_server_send(call->server);
    pthread_mutex_unlock(&call->server->control_lock);
    pthread_mutex_lock(&asks->lock);
    while (!call->is_over)
        pthread_cond_wait(&asks->is_complete, &asks->lock);
    HY_LIST_REMOVE(call, entry);
    pthread_mutex_unlock(&asks->lock);
    return call->status;
}

static struct hy_pack *begin_call(struct hy_server_ask *call, enum hy_wire_kind kind)
{
    struct hy_server *server = call->server;

    call->kind = kind | HY_WIRE_REPLY;
    list_add(call);
    pthread_mutex_lock(&server->control_lock);
    hy_outgoing_begin(&server->control_frame, kind, call->number);
    return &server->control_frame.body;
}

/* Takes ownership of the update's files, which are closed at the commit, see cache_commit. */
static void adopt_update(struct hy_server_ask *call, struct hy_incoming *frame,
                         const struct hy_cache_update *update)
{
    call->update = *update;
    for (uint32_t i = 0; i < update->model_count; i++) {
        call->model[i] = update->model[i];
        hy_incoming_claim_fd(frame, update->model[i]);
    }
    for (uint32_t i = 0; i < update->data_count; i++) {
        call->data[i] = update->data[i];
        hy_incoming_claim_fd(frame, update->data[i]);
    }
}

static bool read_update(struct hy_server_ask *call, struct hy_incoming *frame)
{
    struct hy_arena arena = {0};
    struct hy_cache_update update = {0};
    struct hy_unpack in;
    struct hy_error err;

    hy_incoming_unpack(frame, &arena, &in, &err);
    hy_cache_update_unpack(&in, &update);
    const bool is_good = hy_unpack_end(&in) == HY_OK;
    if (is_good)
        adopt_update(call, frame, &update);
    hy_arena_finish(&arena);
    return is_good;
}

static bool read_file(struct hy_server_ask *call, struct hy_incoming *frame)
{
    struct hy_arena arena = {0};
    struct hy_unpack in;
    struct hy_error err;

    hy_incoming_unpack(frame, &arena, &in, &err);
    call->model[0] = hy_unpack_fd(&in);
    const bool is_good = hy_unpack_end(&in) == HY_OK;
    if (is_good)
        hy_incoming_claim_fd(frame, call->model[0]);
    hy_arena_finish(&arena);
    return is_good;
}

static bool read_reply(struct hy_server_ask *call, struct hy_incoming *frame)
{
    switch (frame->header.kind & ~HY_WIRE_REPLY) {
    case HY_WIRE_CACHE_BEGIN:
        return read_update(call, frame);
    case HY_WIRE_CACHE_REOPEN:
        return read_file(call, frame);
    default:
        return true;
    }
}

void hy_server_ask_complete(struct hy_server *server)
{
    struct hy_server_asks *asks = &server->asks;
    struct hy_incoming *frame = &server->received;

    pthread_mutex_lock(&asks->lock);
    struct hy_server_ask *call;
    LIST_FOREACH (call, &asks->list, entry) {
        if (call->number == frame->header.object)
            break;
    }
    if (call && !call->is_over) {
        call->status =
            frame->header.kind == call->kind ? frame->header.status : HY_STATUS_GENERAL_FAILURE;
        if (call->status == HY_STATUS_OK && !read_reply(call, frame))
            call->status = HY_STATUS_GENERAL_FAILURE;
        call->is_over = true;
    }
    pthread_cond_broadcast(&asks->is_complete);
    pthread_mutex_unlock(&asks->lock);
}

void hy_server_asks_end(struct hy_server_asks *asks)
{
    pthread_mutex_lock(&asks->lock);
    asks->has_ended = true;
    struct hy_server_ask *call;
    LIST_FOREACH (call, &asks->list, entry)
        call->is_over = true;
    pthread_cond_broadcast(&asks->is_complete);
    pthread_mutex_unlock(&asks->lock);
}

/* ---- Updates of cache entries ---------------------------------------------------------------- */

/* The update handle returned by cache_begin. The files stay open until the commit. */
struct update {
    struct hy_server *server; /* held */
    uint64_t number;          /* the client's */
    uint32_t file_count;
    int32_t files[2 * HY_MAX_CACHE_FILES];
};

static struct update *retain_update(const struct hy_server_ask *call)
{
    struct update *update = calloc(1, sizeof *update);
    if (!update)
        return NULL;

    update->server = call->server;
    hy_server_hold(update->server);
    update->number = call->update.update;
    for (uint32_t i = 0; i < call->update.model_count; i++)
        update->files[update->file_count++] = call->model[i];
    for (uint32_t i = 0; i < call->update.data_count; i++)
        update->files[update->file_count++] = call->data[i];
    return update;
}

static int32_t commit(struct hy_server *server, uint64_t number, uint32_t keep)
{
    struct hy_server_ask call = {.server = server};

    hy_cache_commit_pack(begin_call(&call, HY_WIRE_CACHE_COMMIT),
                         &(struct hy_cache_commit){number, keep});
    return make_call(&call);
}

/* The driver's arrays have the capacity reported by its first caching device, so the counts must be
 * equal. */
static bool have_reported_counts(const struct hy_server_driver *driver,
                                 const struct hy_cache_update *update)
{
    for (uint32_t i = 0; i < driver->device_count; i++) {
        const struct hy_device_info *info = &driver->devices[i].info;
        if (info->model_cache_files + info->data_cache_files > 0)
            return update->model_count == info->model_cache_files &&
                   update->data_count == info->data_cache_files;
    }
    return false;
}

static void close_files(const struct hy_server_ask *call)
{
    for (uint32_t i = 0; i < call->update.model_count; i++)
        close(call->model[i]);
    for (uint32_t i = 0; i < call->update.data_count; i++)
        close(call->data[i]);
}

static int32_t cache_begin(void *context, const uint8_t *token, int32_t *model_cache,
                           int32_t *data_cache, void **ret)
{
    struct hy_server_ask call = {.server = hy_server_caller()};

    (void)context;
    if (!token || !model_cache || !data_cache || !ret)
        return HY_STATUS_INVALID_ARGUMENT;
    if (!call.server)
        return HY_STATUS_GENERAL_FAILURE;
    hy_cache_token_pack(begin_call(&call, HY_WIRE_CACHE_BEGIN), &(struct hy_cache_token){token});
    const int32_t status = make_call(&call);
    if (status != HY_STATUS_OK)
        return status;
    struct update *update =
        have_reported_counts(call.server->driver, &call.update) ? retain_update(&call) : NULL;
    if (!update) {
        close_files(&call);
        (void)commit(call.server, call.update.update, 0);
        return HY_STATUS_GENERAL_FAILURE;
    }
    memcpy(model_cache, call.model, call.update.model_count * sizeof *model_cache);
    memcpy(data_cache, call.data, call.update.data_count * sizeof *data_cache);
    *ret = update;
    return HY_STATUS_OK;
}

static int32_t cache_commit(void *context, void *self, uint32_t keep)
{
    struct update *update = self;

    (void)context;
    if (!update)
        return HY_STATUS_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < update->file_count; i++)
        close(update->files[i]);
    const int32_t status = commit(update->server, update->number, keep);
    hy_server_put(update->server);
    free(update);
    return status;
}

static int32_t cache_keep_open(void *context, const uint8_t *token)
{
    struct hy_server_ask call = {.server = hy_server_caller()};

    (void)context;
    if (!token)
        return HY_STATUS_INVALID_ARGUMENT;
    if (!call.server)
        return HY_STATUS_GENERAL_FAILURE;
    hy_cache_token_pack(begin_call(&call, HY_WIRE_CACHE_KEEP_OPEN),
                        &(struct hy_cache_token){token});
    return make_call(&call);
}

/* ---- Files opened anew ----------------------------------------------------------------------- */

int32_t hy_server_ask_reopen(struct hy_server *server, int32_t fd, int32_t *own)
{
    struct hy_server_ask call = {.server = server};

    hy_pack_fd(begin_call(&call, HY_WIRE_CACHE_REOPEN), fd);
    const int32_t status = make_call(&call);
    if (status == HY_STATUS_OK)
        *own = call.model[0];
    return status;
}

/* ---- The members ----------------------------------------------------------------------------- */

void hy_server_asks_fill(struct hy_host *face)
{
    face->cache_begin = cache_begin;
    face->cache_commit = cache_commit;
    face->cache_keep_open = cache_keep_open;
    face->cache_lock = hy_server_cache_lock;
    face->cache_unlock = hy_server_cache_unlock;
}
