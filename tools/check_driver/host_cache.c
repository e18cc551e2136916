#include "tools/check_driver/host_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "tools/check_driver/host_blobs.h"
#include "tools/check_driver/host_files.h"
#include "tools/check_driver/host_records.h"
#include "tools/check_driver/host_updates.h"

static struct hy_host_cache_counts info;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void count(uint32_t *counter, int32_t by)
{
    pthread_mutex_lock(&mutex);
    *counter += (uint32_t)by;
    pthread_mutex_unlock(&mutex);
}

struct hy_host_cache_counts hy_host_cache_counts(void)
{
    pthread_mutex_lock(&mutex);
    const struct hy_host_cache_counts copy = info;
    pthread_mutex_unlock(&mutex);
    return copy;
}

/* Tasks of other models may end at any time, also in another process: writes are counted for a
 * single token. */
static uint8_t watched[HY_TOKEN_SIZE];

void hy_host_cache_watch(const uint8_t *token)
{
    pthread_mutex_lock(&mutex);
    memcpy(watched, token, sizeof watched);
    info.written = info.committed = 0;
    pthread_mutex_unlock(&mutex);
}

static void count_watched(uint32_t *counter, const uint8_t *token)
{
    pthread_mutex_lock(&mutex);
    *counter += token && memcmp(watched, token, sizeof watched) == 0;
    pthread_mutex_unlock(&mutex);
}

/* ---- Digests --------------------------------------------------------------------------------- */

static int32_t digest_store(void *context, const uint8_t *token, const uint8_t *digest)
{
    (void)context;
    return hy_record_store(HY_RECORD_DIGEST, token, HY_TOKEN_SIZE, digest, HY_DIGEST_SIZE)
               ? HY_STATUS_OK
               : HY_STATUS_GENERAL_FAILURE;
}

static int32_t digest_find(void *context, const uint8_t *token, uint8_t *digest)
{
    (void)context;
    return hy_record_load(HY_RECORD_DIGEST, token, HY_TOKEN_SIZE, digest, HY_DIGEST_SIZE) ==
                   HY_DIGEST_SIZE
               ? HY_STATUS_OK
               : HY_STATUS_GENERAL_FAILURE;
}

/* ---- Files, immediate and background --------------------------------------------------------- */

static int32_t cache_save(void *context, const struct hy_cache_files *files,
                          const struct hy_bytes *model, const struct hy_bytes *data)
{
    (void)context;
    count_watched(&info.written, files->token);
    return hy_host_files_save(files, model, data);
}

static int32_t cache_restore(void *context, const struct hy_cache_files *files,
                             struct hy_restored *restored)
{
    (void)context;
    const int32_t status = hy_host_files_restore(files, restored);
    if (status == HY_STATUS_OK)
        count(&info.handles, 1);
    return status;
}

static void cache_release(void *context, struct hy_restored *restored)
{
    (void)context;
    count(&info.handles, -1);
    hy_host_files_release(restored);
}

static int32_t cache_begin(void *context, const uint8_t *token, int32_t *model_cache,
                           int32_t *data_cache, void **update)
{
    (void)context;
    count_watched(&info.written, token);
    return hy_host_update_begin(token, model_cache, data_cache, update);
}

static int32_t cache_commit(void *context, void *update, uint32_t keep)
{
    (void)context;
    uint8_t token[HY_TOKEN_SIZE];
    hy_host_update_end(update, keep, token);
    if (keep)
        count_watched(&info.committed, token);
    return HY_STATUS_OK;
}

bool hy_host_cache_open(const uint8_t *token, int32_t *model, int32_t *data)
{
    return hy_host_update_open(token, model, data);
}

void hy_host_cache_expect(uint32_t model_count, uint32_t data_count)
{
    hy_host_update_expect(model_count, data_count);
}

static int32_t cache_keep_open(void *context, const uint8_t *token)
{
    (void)context;
    count_watched(&info.written, token);
    return hy_record_store(HY_RECORD_KEPT_OPEN, token, HY_TOKEN_SIZE, NULL, 0)
               ? HY_STATUS_OK
               : HY_STATUS_GENERAL_FAILURE;
}

/* One lock for the files of all entries. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static int32_t cache_lock(void *context, int32_t fd, uint32_t exclusive, int64_t deadline)
{
    (void)context;
    if (fcntl(fd, F_GETFD) < 0)
        return HY_STATUS_INVALID_ARGUMENT;
    int failed;
    if (deadline == HY_NO_DEADLINE) {
        failed = exclusive ? pthread_rwlock_wrlock(&lock) : pthread_rwlock_rdlock(&lock);
    } else {
        const struct timespec due = hy_clock_wait_end(hy_clock_left(deadline));
        failed = exclusive ? pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &due)
                           : pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &due);
    }
    if (failed) /* EDEADLK: the thread would wait for itself until its deadline */
        return failed == ETIMEDOUT || failed == EDEADLK ? HY_STATUS_MISSED_DEADLINE_TRANSIENT
                                                        : HY_STATUS_GENERAL_FAILURE;
    count(&info.locks, 1);
    return HY_STATUS_OK;
}

static void cache_unlock(void *context, int32_t fd)
{
    (void)context, (void)fd;
    pthread_rwlock_unlock(&lock);
    count(&info.locks, -1);
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

struct task {
    void (*run)(void *argument);
    void *argument;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t has_run;
    uint32_t count; /* that have not ended */
} tasks = {.lock = PTHREAD_MUTEX_INITIALIZER, .has_run = PTHREAD_COND_INITIALIZER};

static void count_task(int32_t by)
{
    pthread_mutex_lock(&tasks.lock);
    tasks.count += (uint32_t)by;
    pthread_cond_broadcast(&tasks.has_run);
    pthread_mutex_unlock(&tasks.lock);
}

void hy_host_cache_end_tasks(void)
{
    pthread_mutex_lock(&tasks.lock);
    while (tasks.count > 0)
        pthread_cond_wait(&tasks.has_run, &tasks.lock);
    pthread_mutex_unlock(&tasks.lock);
}

static void *run_task(void *argument)
{
    const struct task task = *(struct task *)argument;
    free(argument);
    task.run(task.argument);
    count_task(-1);
    return NULL;
}

static int32_t later(void *context, void (*run)(void *argument), void *argument)
{
    (void)context;
    struct task *task = malloc(sizeof *task);
    pthread_t thread;
    if (!task)
        return HY_STATUS_GENERAL_FAILURE;
    *task = (struct task){run, argument};
    count_task(1);
    if (pthread_create(&thread, NULL, run_task, task) != 0) {
        count_task(-1);
        free(task);
        return HY_STATUS_GENERAL_FAILURE;
    }
    pthread_detach(thread);
    return HY_STATUS_OK;
}

void hy_host_cache_add(struct hy_host *host)
{
    host->digest_store = digest_store;
    host->digest_find = digest_find;
    hy_host_blobs_add(host);
    host->cache_begin = cache_begin;
    host->cache_commit = cache_commit;
    host->cache_save = cache_save;
    host->cache_restore = cache_restore;
    host->cache_release = cache_release;
    host->cache_keep_open = cache_keep_open;
    host->cache_lock = cache_lock;
    host->cache_unlock = cache_unlock;
    host->later = later;
}
