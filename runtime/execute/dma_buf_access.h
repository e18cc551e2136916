#ifndef HY_RUNTIME_DMA_BUF_ACCESS_H
#define HY_RUNTIME_DMA_BUF_ACCESS_H

#include "common/error.h"

struct hy_execution;

/*
 * Begins and ends CPU access to the arguments in dma-bufs. Between the calls a run sees the data
 * that devices have written to its inputs, and devices see the outputs of the run after the end.
 * Needed for every device, because most devices compute in memory of this process. After a failed
 * begin do not call end. Errors: FAILED.
 */
HY_MUST_CHECK enum hy_code hy_dma_buf_access_begin(const struct hy_execution *execution,
                                                   struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_dma_buf_access_end(const struct hy_execution *execution,
                                                 struct hy_error *err);

#endif
