#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_HYBRID_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_HYBRID_H

#include "cpu_fallback/program/op.h"

/* The kernel of CONV_2D or FULLY_CONNECTED for a filter that stays bytes; NULL: it is floats. */
const struct hy_conv_kernel *hy_conv_hybrid(const struct hy_cpu_site *site,
                                            const struct hy_conv_params *params);

/* The scales of such a filter, one for each output channel, in `memory` if need be. NULL: out of
 * memory. */
const float *hy_conv_filter_scales(const struct hy_cpu_site *site, struct hy_arena *memory,
                                   uint32_t channels);

#endif
