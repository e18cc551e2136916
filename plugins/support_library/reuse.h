#ifndef HY_PLUGINS_SUPPORT_LIBRARY_REUSE_H
#define HY_PLUGINS_SUPPORT_LIBRARY_REUSE_H

#include "plugins/support_library/execution.h"

/*
 * The latest execution of a burst, kept for the case that the next request is the same. Only those
 * are kept whose memory is all in memory objects: their end is told, while memory of the process
 * may be gone at any time, and an execution must not outlive its memory.
 */
struct hy_sl_reuse {
    const struct hy_sl_prepared *prepared;
    ANeuralNetworksExecution *execution;     /* NULL: none is kept */
    struct hy_sl_reused_argument *arguments; /* inputs, then outputs */
    uint32_t measure;
    uint64_t loop_timeout;
};

/* Errors: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_sl_reuse_init(struct hy_sl_reuse *reuse,
                                            const struct hy_sl_prepared *prepared,
                                            struct hy_error *err);
void hy_sl_reuse_finish(struct hy_sl_reuse *reuse);

/* Whether an execution for this request, which has been checked, may be kept. */
bool hy_sl_reuse_is_possible(const struct hy_request *request,
                             const struct hy_run_options *options);

/* Gives the kept execution away if it is one for this request, which is possible; else NULL. */
ANeuralNetworksExecution *hy_sl_reuse_take(struct hy_sl_reuse *reuse,
                                           const struct hy_request *request,
                                           const struct hy_run_options *options);

/* Keeps an execution that was made for this request, which is possible; the one before goes. */
void hy_sl_reuse_keep(struct hy_sl_reuse *reuse, const struct hy_request *request,
                      const struct hy_run_options *options, ANeuralNetworksExecution *execution);

/* Frees the kept execution if it uses this memory. */
void hy_sl_reuse_forget(struct hy_sl_reuse *reuse, uint64_t pool_id);

#endif
