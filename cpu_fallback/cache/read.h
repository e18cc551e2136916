#ifndef HY_CPU_FALLBACK_CACHE_READ_H
#define HY_CPU_FALLBACK_CACHE_READ_H

#include "cpu_fallback/prepared.h"

/* What hy_cpu_cache_read makes of the cache files: the model as it was, and what was compiled from
 * it, to be compiled again. All zero bytes is empty. */
struct hy_cpu_recall {
    struct hy_arena memory;
    struct hy_model model;
    struct hy_pool pools[2];
    struct hy_cpu_image *image;
    struct hy_cpu_image **body_images; /* per referenced subgraph, NULL where it has none */
    bool is_tuned;                     /* the images say how work is cut, as it was measured */
};

/*
 * Reads the model cache: `identity` must be the one that it was written with. How work is cut is
 * taken from it only if it was measured with such a second cache. Counts, offsets and lengths are
 * checked here, everything else where a model's view is; the data cache is only pointed into. The
 * recall points into both files, and so does what is compiled from it. Errors: HY_BAD_DATA,
 * HY_OUT_OF_MEMORY; the recall is to be finished in any case.
 */
HY_MUST_CHECK enum hy_code hy_cpu_cache_read(const struct hy_bytes *model,
                                             const struct hy_bytes *data, const char *identity,
                                             uint64_t l2_bytes, const struct hy_host *host,
                                             struct hy_cpu_recall *recall, struct hy_error *err);

void hy_cpu_recall_finish(struct hy_cpu_recall *recall);

#endif
