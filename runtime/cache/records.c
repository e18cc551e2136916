#include "runtime/cache/records.h"

#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/state_folder.h"

#include <pthread.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    struct hy_records *records;
    bool has_complained;
    uint64_t failed; /* hy_clock_now, when they could last not be opened */
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
    const uint64_t start = hy_clock_now();
    struct hy_error why;

    /* Opening waits for other processes: whoever came meanwhile has waited for the same. */
    pthread_mutex_lock(&kept.lock);
    if (!kept.records && kept.failed < start && open_records(&kept.records, &why) != HY_OK) {
        kept.failed = hy_clock_now();
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
