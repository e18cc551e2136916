#ifndef HY_TESTS_UNIT_CPU_FALLBACK_KIT_CACHE_HOST_H
#define HY_TESTS_UNIT_CPU_FALLBACK_KIT_CACHE_HOST_H

#include "halyard/driver.h"
#include "tests/kit/driver_runner.h"

/* The memory for restored cache files. */
enum hy_cache_memory {
    HY_CACHE_PAGES, /* data file in read-only pages, with an unreadable page behind */
    HY_CACHE_HEAP,  /* exact-size heap memory, for detection of overreads by a sanitizer */
};

/*
 * A test host with the cache files of one prepared model in memory. Tests may change the files
 * between saving and restoring, as if the digests matched.
 */
struct hy_cache_host {
    struct hy_host host;
    enum hy_cache_memory memory;
    uint8_t *model, *data; /* last saved; NULL before */
    uint64_t model_length, data_length;
    int32_t save_status;                /* result of cache_save */
    uint32_t saved, restored, released; /* number of calls */
};

void hy_cache_host_init(struct hy_cache_host *host);
void hy_cache_host_finish(struct hy_cache_host *host);

/* Prepares a model with cache files, or from cache files only. Replaces the runner's prepared
 * model. */
int32_t hy_cache_host_prepare(struct hy_runner *runner, const struct hy_model *model);
int32_t hy_cache_host_restore(struct hy_runner *runner);

#endif
