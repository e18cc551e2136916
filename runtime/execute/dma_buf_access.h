#ifndef HY_RUNTIME_DMA_BUF_ACCESS_H
#define HY_RUNTIME_DMA_BUF_ACCESS_H

#include "common/error.h"

struct hy_execution;

/*
 * A run between these sees what devices have written to its inputs, and they see what it writes:
 * for executions with arguments in dma-bufs, whichever device runs them, as most compute in memory
 * of this process. A begin that failed has no end. Errors: FAILED.
 */
HY_MUST_CHECK enum hy_code hy_dma_buf_access_begin(const struct hy_execution *execution,
                                                   struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_dma_buf_access_end(const struct hy_execution *execution,
                                                 struct hy_error *err);

#endif
