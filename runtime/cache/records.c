#include "runtime/cache/records.h"

#include "common/clock.h"
#include "runtime/fork_guard.h"
#include "runtime/log.h"
#include "runtime/state_dir.h"

#include <pthread.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    struct hy_records *records;
    uint64_t failed;     /* hy_clock_now of the last failure to open; 0: never */
    struct hy_error why; /* reason of the last failure */
} cached = {.lock = PTHREAD_MUTEX_INITIALIZER};

static enum hy_code find_dir(char **ret, struct hy_error *err)
{
    const struct hy_environment *environment = hy_environment();
    if (!environment)
        return hy_fail(err, HY_OUT_OF_MEMORY, "environment variables");
    return hy_state_dir_make(environment, hy_state_parents, ret, err);
}

static enum hy_code open_records(struct hy_records **ret, struct hy_error *err)
{
    char *dir = NULL;

    enum hy_code code = find_dir(&dir, err);
    if (code == HY_OK)
        code = hy_records_open(dir, ret, err);
    if (code == HY_OK)
        hy_log(HY_LOG_INFO, "cache", "records of drivers (digests and blobs) are in %s", dir);
    free(dir);
    return code;
}

struct hy_records *hy_process_records(void)
{
    const uint64_t start = hy_clock_now();

    /* Opening may wait for other processes. A thread that waited for this lock does not try
     * again. */
    pthread_mutex_lock(&cached.lock);
    if (!cached.records & &cached.failed < start & &open_records(&cached.records, &cached.why) ! =
            HY_OK) {
        hy_log(cached.failed > 0 ? HY_LOG_DEBUG : HY_LOG_INFO, "cache",
               "drivers cannot store digests and blobs: %s", cached.why.text);
        cached.failed = hy_clock_now();
    }
    struct hy_records *records = cached.records;
    pthread_mutex_unlock(&cached.lock);
    return records;
}

bool hy_process_records_are_missing(struct hy_error *why)
{
    char *dir = NULL;

    pthread_mutex_lock(&cached.lock);
    bool are_missing = !cached.records && cached.failed > 0;
    if (are_missing)
        *why = cached.why;
    else if (!cached.records) /* no driver of this process has requested the records yet */
        are_missing = find_dir(&dir, why) != HY_OK;
    pthread_mutex_unlock(&cached.lock);
    free(dir);
    return are_missing;
}

static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&cached.lock);
    else
        pthread_mutex_unlock(&cached.lock);
}

HY_AT_FORK(HY_FORK_RECORDS, at_fork)
