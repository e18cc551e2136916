#include "runtime/cache/records.h"

#include "runtime/log.h"
#include "runtime/state_folder.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* As long as the records wait for a lock. */
enum { OPENING_SECONDS = 1 };

static struct {
    pthread_mutex_t lock;
    struct hy_records *records;
    bool has_complained;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static enum hy_code open_records(struct hy_records **ret, struct hy_error *err)
{
    const struct hy_environment *environment = hy_environment();
    char *folder = NULL;
    if (!environment)
        return hy_fail(err, HY_OUT_OF_MEMORY, "environment variables");

    enum hy_code code = hy_state_folder_path(environment, &folder, err);
    if (code == HY_OK)
        code = hy_records_open(folder, ret, err);
    free(folder);
    return code;
}

struct hy_records *hy_process_records(void)
{
    struct timespec until;
    struct hy_error why;

    /* Opening waits for other processes, and so does whoever comes meanwhile, but no longer. */
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += OPENING_SECONDS;
    if (pthread_mutex_clocklock(&kept.lock, CLOCK_MONOTONIC, &until) != 0)
        return NULL;
    if (!kept.records && open_records(&kept.records, &why) != HY_OK) {
        hy_log(kept.has_complained ? HY_LOG_DEBUG : HY_LOG_WARNING, "cache",
               "drivers cannot keep anything: %s", why.text);
        kept.has_complained = true;
    }
    struct hy_records *records = kept.records;
    pthread_mutex_unlock(&kept.lock);
    return records;
}

void hy_process_records_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&kept.lock);
    else
        pthread_mutex_unlock(&kept.lock);
}
