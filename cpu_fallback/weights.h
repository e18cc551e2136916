#ifndef HY_CPU_FALLBACK_WEIGHTS_H
#define HY_CPU_FALLBACK_WEIGHTS_H

#include <stdatomic.h>

#include "common/error.h"
#include "cpu_fallback/kernels/conv.h"

/*
 * The packed weights of one operation whose filter and bias are constant: made at first use, then
 * shared by every plan and execution of the prepared model. All zero bytes is an empty slot.
 */
struct hy_cpu_weights {
    _Atomic(void *) packed;
};

/*
 * The packed weights, made from `filter` and `bias` unless they are there already. Several threads
 * may call it at once. A slot always gets the same kernel. HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_weights_get(struct hy_cpu_weights *slot,
                                              const struct hy_conv_kernel *kernel,
                                              const struct hy_conv_params *params,
                                              const void *filter, const void *bias,
                                              const void **packed, struct hy_error *err);

void hy_cpu_weights_finish(struct hy_cpu_weights *slot);

#endif
