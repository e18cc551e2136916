#ifndef HY_TESTS_CPU_FALLBACK_KIT_CACHE_HOST_H
#define HY_TESTS_CPU_FALLBACK_KIT_CACHE_HOST_H

#include "halyard/driver.h"
#include "support/driver_runner.h"

/* How what was saved comes back. */
enum hy_cache_memory {
    HY_CACHE_PAGES, /* the data cache read-only, with a page that cannot be read behind it */
    HY_CACHE_HEAP,  /* in memory of just its size, where a sanitizer sees a read behind its end */
};

/*
 * A test host that keeps the cache files of one prepared model in memory. What is kept may be
 * changed between saving and restoring, as if the digest of the host's had been made to match.
 */
struct hy_cache_host {
    struct hy_host host;
    enum hy_cache_memory memory;
    uint8_t *model, *data; /* as saved last; NULL before that */
    uint64_t model_length, data_length;
    int32_t save_status;                /* what cache_save answers */
    uint32_t saved, restored, released; /* calls that did it */
};

void hy_cache_host_init(struct hy_cache_host *host);
void hy_cache_host_finish(struct hy_cache_host *host);

/* Prepares a model with cache files, or from them alone, in the place of the one before. */
int32_t hy_cache_host_prepare(struct hy_runner *runner, const struct hy_model *model);
int32_t hy_cache_host_restore(struct hy_runner *runner);

#endif
