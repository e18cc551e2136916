#ifndef HY_TESTS_UNIT_CPU_FALLBACK_KIT_TUNING_HOST_H
#define HY_TESTS_UNIT_CPU_FALLBACK_KIT_TUNING_HOST_H

#include <pthread.h>

#include "cache_host.h"

/* A host with cache files and one background task. The test runs the task, or the task has a
 * thread. */
struct hy_tuning_host {
    struct hy_cache_host cache; /* must be first, as the context of the cache functions */
    void (*task)(void *argument);
    void *argument;
    int32_t post_task_status, begin_status; /* results of the host functions */
    int is_threaded;
    pthread_t thread;
    uint32_t asked, begun, published, dropped;
};

/* Open a device on &host->cache.host afterwards. */
void hy_tuning_host_init(struct hy_tuning_host *host);

/* Runs the task or joins its thread. Does nothing without a task. */
void hy_tuning_host_run(struct hy_tuning_host *host);

#endif
