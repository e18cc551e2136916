#include "plugins/service/server/clients/users.h"

#include "common/list.h"
#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/parts.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    LIST_HEAD(, hy_server_user) list;
    atomic_uint count;
} users = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- The table ------------------------------------------------------------------------------- */

/* Creates the host that stores the driver's data for a user. NULL: not possible. */
static const struct hy_host *make_host(const struct hy_server_driver *driver, uid_t id)
{
    const struct hy_plugin_hosts *hosts = driver->serve->hosts;
    const struct hy_host *host = hosts->create_for ? hosts->create_for((uint32_t)id) : NULL;

    for (uint32_t i = 0; host && i < driver->device_count; i++) {
        if (!hosts->note_device(host, hy_server_driver_name(driver), &driver->devices[i].info)) {
            hosts->destroy(host);
            return NULL;
        }
    }
    if (host)
        hosts->complete(host);
    return host;
}

/* With the lock held. */
static struct hy_server_user *add(const struct hy_server_driver *driver, uid_t id,
                                  struct hy_server_quota *service)
{
    struct hy_server_user *user = calloc(1, sizeof *user);
    char whose[sizeof user->quotas.whose];
    if (!user)
        return NULL;

    snprintf(whose, sizeof whose, "user %u", (unsigned)id);
    hy_server_quota_init(&user->quotas, HY_SERVER_QUOTA_USER, service, whose);
    user->id = id;
    user->host = make_host(driver, id);
    LIST_INSERT_HEAD(&users.list, user, entry);
    atomic_fetch_add_explicit(&users.count, 1, memory_order_relaxed);
    return user;
}

struct hy_server_user *hy_server_user_find(const struct hy_server_driver *driver, uid_t id,
                                           struct hy_server_quota *service)
{
    pthread_mutex_lock(&users.lock);
    struct hy_server_user *user;
    LIST_FOREACH (user, &users.list, entry) {
        if (user->id == id)
            break;
    }
    if (!user)
        user = add(driver, id, service);
    if (user)
        user->references++;
    pthread_mutex_unlock(&users.lock);
    return user;
}

void hy_server_user_release(const struct hy_server_driver *driver, struct hy_server_user *user)
{
    if (!user)
        return;
    pthread_mutex_lock(&users.lock);
    const bool is_last = --user->references == 0;
    if (is_last) {
        LIST_REMOVE(user, entry);
        atomic_fetch_sub_explicit(&users.count, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&users.lock);
    if (!is_last)
        return;
    if (user->host)
        driver->serve->hosts->destroy(user->host);
    free(user);
}

uint32_t hy_server_users_count(void)
{
    return atomic_load_explicit(&users.count, memory_order_relaxed);
}

/* ---- What is remembered ---------------------------------------------------------------------- */

static const struct hy_host *own; /* host for the user of this process */

/* Outside of calls, data is stored for the user of this process. */
static const struct hy_host *caller_host(void)
{
    const struct hy_server *server = hy_server_caller();
    return server && server->user ? server->user->host : own;
}

static int32_t digest_store(void *context, const uint8_t *token, const uint8_t *digest)
{
    const struct hy_host *host = caller_host();

    (void)context;
    return host ? host->digest_store(host->context, token, digest) : HY_STATUS_GENERAL_FAILURE;
}

static int32_t digest_find(void *context, const uint8_t *token, uint8_t *digest)
{
    const struct hy_host *host = caller_host();

    (void)context;
    return host ? host->digest_find(host->context, token, digest) : HY_STATUS_GENERAL_FAILURE;
}

static int32_t blob_store(void *context, const void *key, uint64_t key_length, const void *blob,
                          uint64_t blob_length)
{
    const struct hy_host *host = caller_host();

    (void)context;
    return host ? host->blob_store(host->context, key, key_length, blob, blob_length)
                : HY_STATUS_GENERAL_FAILURE;
}

static int32_t blob_load(void *context, const void *key, uint64_t key_length, void *blob,
                         uint64_t space, uint64_t *blob_length)
{
    const struct hy_host *host = caller_host();

    (void)context;
    return host ? host->blob_load(host->context, key, key_length, blob, space, blob_length)
                : HY_STATUS_GENERAL_FAILURE;
}

static int32_t blob_remove(void *context, const void *key, uint64_t key_length)
{
    const struct hy_host *host = caller_host();

    (void)context;
    return host ? host->blob_remove(host->context, key, key_length) : HY_STATUS_GENERAL_FAILURE;
}

static int32_t cache_save(void *context, const struct hy_cache_files *files,
                          const struct hy_bytes *model, const struct hy_bytes *data)
{
    const struct hy_host *host = caller_host();

    (void)context;
    return host ? host->cache_save(host->context, files, model, data) : HY_STATUS_GENERAL_FAILURE;
}

const struct hy_host *hy_server_users_caller_host(void)
{
    return caller_host();
}

void hy_server_users_fill(struct hy_host *face, const struct hy_host *inner)
{
    own = inner;
    if (HY_HAS(inner, digest_store))
        face->digest_store = digest_store;
    if (HY_HAS(inner, digest_find))
        face->digest_find = digest_find;
    if (HY_HAS(inner, blob_store))
        face->blob_store = blob_store;
    if (HY_HAS(inner, blob_load))
        face->blob_load = blob_load;
    if (HY_HAS(inner, blob_remove))
        face->blob_remove = blob_remove;
    if (HY_HAS(inner, cache_save))
        face->cache_save = cache_save;
}
