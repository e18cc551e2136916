#ifndef HY_TESTS_CPU_FALLBACK_KIT_TUNING_HOST_H
#define HY_TESTS_CPU_FALLBACK_KIT_TUNING_HOST_H

#include <pthread.h>

#include "cache_host.h"

/* A host that keeps cache files, and one task for later: until the test runs it, or on a thread. */
struct hy_tuning_host {
    struct hy_cache_host cache; /* first: the context of its functions */
    void (*task)(void *argument);
    void *argument;
    int32_t later_status, begin_status; /* what these answer */
    int is_threaded;
    pthread_t thread;
    uint32_t asked, begun, kept, dropped;
};

/* Afterwards a device is opened on &host->cache.host. */
void hy_tuning_host_init(struct hy_tuning_host *host);

/* Runs the task, or waits for its thread. Nothing where there is none. */
void hy_tuning_host_run(struct hy_tuning_host *host);

#endif
