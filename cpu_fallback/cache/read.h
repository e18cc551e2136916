#ifndef HY_CPU_FALLBACK_CACHE_READ_H
#define HY_CPU_FALLBACK_CACHE_READ_H

#include "cpu_fallback/cpu_prepared.h"

/* The contents of cache files: the model, and the results of its compilation, as input of a new
 * compilation. All zero bytes is empty. */
struct hy_cpu_restored_model {
    struct hy_arena memory;
    struct hy_model model;
    struct hy_pool pools[2];
    struct hy_cpu_compiled_view *compiled_view;
    struct hy_cpu_compiled_view **body_views; /* per referenced subgraph, NULL if unused */
    bool is_tuned;                            /* the images hold a measured blocking */
};

/*
 * Reads the model cache. `identity` must equal the identity at writing time. A measured blocking is
 * used only if it was measured with an L2 cache of `l2_bytes`. Counts, offsets and lengths are
 * checked here; everything else is checked like any view of a model. `recall` and the model
 * compiled from it point into both files. The caller finishes `recall` even after an error. Errors:
 * HY_BAD_DATA, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_cache_read(const struct hy_bytes *model,
                                             const struct hy_bytes *data, const char *identity,
                                             uint64_t l2_bytes, const struct hy_host *host,
                                             struct hy_cpu_restored_model *restored_model,
                                             struct hy_error *err);

void hy_cpu_restored_model_finish(struct hy_cpu_restored_model *restored_model);

#endif
