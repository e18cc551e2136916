#include "runtime/cache/stores.h"

#include "common/absolute_path.h"
#include "runtime/fork_guard.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { KEPT = 8 };

static struct {
    pthread_mutex_t lock;
    struct hy_open_store *kept[KEPT];
    uint64_t uses;
} stores = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void destroy(struct hy_open_store *store)
{
    if (!store)
        return;
    hy_store_close(store->store);
    free(store->folder);
    free(store);
}

/* Takes it off the list; with its last user it goes. */
static void unlist(uint32_t slot)
{
    struct hy_open_store *store = stores.kept[slot];

    stores.kept[slot] = NULL;
    store->is_listed = false;
    if (store->users == 0)
        destroy(store);
}

/* Whether the path still names the folder that was opened. */
static bool is_current(const struct hy_open_store *store)
{
    struct stat facts;
    return stat(store->folder, &facts) == 0 && facts.st_dev == store->device &&
           facts.st_ino == store->inode;
}

static struct hy_open_store *find(const char *folder, uint64_t limit)
{
    for (uint32_t i = 0; i < KEPT; i++) {
        struct hy_open_store *store = stores.kept[i];
        if (!store || store->limit != limit || strcmp(store->folder, folder) != 0)
            continue;
        if (is_current(store))
            return store;
        unlist(i);
    }
    return NULL;
}

/* Puts it on the list, in the place of the one whose last use is longest ago. */
static void list(struct hy_open_store *store)
{
    uint32_t oldest = 0;

    for (uint32_t i = 0; i < KEPT; i++) {
        if (!stores.kept[i]) {
            oldest = i;
            break;
        }
        if (stores.kept[i]->last_use < stores.kept[oldest]->last_use)
            oldest = i;
    }
    if (stores.kept[oldest])
        unlist(oldest);
    stores.kept[oldest] = store;
    store->is_listed = true;
}

static enum hy_code open_store(const char *folder, bool create, uint64_t limit,
                               struct hy_open_store **ret, struct hy_error *err)
{
    struct hy_open_store *store = calloc(1, sizeof *store);
    struct stat facts;

    if (store)
        store->folder = strdup(folder);
    if (!store || !store->folder) {
        destroy(store);
        return hy_fail(err, HY_OUT_OF_MEMORY, "cache folder %s", folder);
    }
    store->limit = limit;
    enum hy_code code = hy_store_open(folder, create, limit, &store->store, err);
    if (code == HY_OK && stat(folder, &facts) != 0)
        code = hy_fail(err, HY_FAILED, "%s: %s", folder, strerror(errno));
    if (code != HY_OK) {
        destroy(store);
        return code;
    }
    store->device = facts.st_dev;
    store->inode = facts.st_ino;
    list(store);
    *ret = store;
    return HY_OK;
}

enum hy_code hy_stores_take(const char *folder, bool create, uint64_t limit,
                            struct hy_open_store **ret, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    char *path = hy_absolute_path(folder);
    if (!path)
        return hy_fail(err, HY_OUT_OF_MEMORY, "path of the cache folder %s", folder);

    pthread_mutex_lock(&stores.lock);
    struct hy_open_store *store = find(path, limit);
    if (!store)
        code = open_store(path, create, limit, &store, err);
    if (code == HY_OK) {
        store->users++;
        store->last_use = ++stores.uses;
        *ret = store;
    }
    pthread_mutex_unlock(&stores.lock);
    free(path);
    return code;
}

struct hy_open_store *hy_stores_retain(struct hy_open_store *store)
{
    pthread_mutex_lock(&stores.lock);
    store->users++;
    pthread_mutex_unlock(&stores.lock);
    return store;
}

void hy_stores_give_back(struct hy_open_store *store)
{
    if (!store)
        return;
    pthread_mutex_lock(&stores.lock);
    if (--store->users == 0 && !store->is_listed)
        destroy(store);
    pthread_mutex_unlock(&stores.lock);
}

static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&stores.lock);
    else
        pthread_mutex_unlock(&stores.lock);
}

HY_AT_FORK(HY_FORK_STORES, at_fork)
