#ifndef HY_CPU_FALLBACK_OPS_OPS_H
#define HY_CPU_FALLBACK_OPS_OPS_H

#include "cpu_fallback/op.h"

/* The functions in the rows of op_table.c, by family. What they promise stands in op.h. */

#define HY_CPU_RESOLVE(name) \
    enum hy_code name(const struct hy_cpu_site *site, struct hy_cpu_step *step, \
                      struct hy_error *err)
#define HY_CPU_RUN(name) enum hy_code name(const struct hy_cpu_work *work, struct hy_error *err)

/* conv.c: one run for all three */
HY_CPU_RESOLVE(hy_cpu_conv_2d_resolve);
HY_CPU_RESOLVE(hy_cpu_depthwise_conv_2d_resolve);
HY_CPU_RESOLVE(hy_cpu_fully_connected_resolve);
HY_CPU_RUN(hy_cpu_conv_run);

/* add.c */
HY_CPU_RESOLVE(hy_cpu_add_resolve);
HY_CPU_RUN(hy_cpu_add_run);

/* average_pool.c */
HY_CPU_RESOLVE(hy_cpu_average_pool_resolve);
HY_CPU_RUN(hy_cpu_average_pool_run);

/* dequantize.c */
HY_CPU_RESOLVE(hy_cpu_dequantize_resolve);
HY_CPU_RUN(hy_cpu_dequantize_run);

/* reshape.c */
HY_CPU_RESOLVE(hy_cpu_reshape_resolve);
HY_CPU_RUN(hy_cpu_reshape_run);

/* softmax.c */
HY_CPU_RESOLVE(hy_cpu_softmax_resolve);
HY_CPU_RUN(hy_cpu_softmax_run);

#endif
