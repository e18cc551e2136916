#ifndef HY_PLUGINS_SUPPORT_LIBRARY_REUSE_H
#define HY_PLUGINS_SUPPORT_LIBRARY_REUSE_H

#include "plugins/support_library/execution.h"

/*
 * Caches the latest execution of a burst for an identical next request. An execution is cached only
 * if all its memory is in memory objects, because the burst is notified when a memory object is
 * released. Memory of the process may disappear without notice, and an execution must not outlive
 * its memory.
 */
struct hy_sl_reuse {
    const struct hy_sl_prepared *prepared;
    ANeuralNetworksExecution *execution;     /* NULL: none is cached */
    struct hy_sl_reused_argument *arguments; /* inputs, then outputs */
    uint32_t measure;
    uint64_t loop_timeout;
};

/* Errors: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_sl_reuse_init(struct hy_sl_reuse *reuse,
                                            const struct hy_sl_prepared *prepared,
                                            struct hy_error *err);
void hy_sl_reuse_finish(struct hy_sl_reuse *reuse);

/* Returns true if an execution for this checked request may be cached. */
bool hy_sl_reuse_is_possible(const struct hy_request *request,
                             const struct hy_run_options *options);

/* Returns the cached execution if the execution was made for an identical request, else NULL. The
 * caller owns the result. hy_sl_reuse_is_possible must be true for the request. */
ANeuralNetworksExecution *hy_sl_reuse_claim(struct hy_sl_reuse *reuse,
                                            const struct hy_request *request,
                                            const struct hy_run_options *options);

/* Caches `execution`, made for this request, and frees the previously cached execution.
 * hy_sl_reuse_is_possible must be true for the request. */
void hy_sl_reuse_store(struct hy_sl_reuse *reuse, const struct hy_request *request,
                       const struct hy_run_options *options, ANeuralNetworksExecution *execution);

/* Frees the cached execution if the execution uses the pool `pool_id`. */
void hy_sl_reuse_invalidate(struct hy_sl_reuse *reuse, uint64_t pool_id);

#endif
