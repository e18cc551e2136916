#ifndef HY_CPU_FALLBACK_OPS_FILL_H
#define HY_CPU_FALLBACK_OPS_FILL_H

#include "cpu_fallback/ops/strided_copy.h"

/* Fills all of a tensor with the same element. */
struct hy_cpu_fill {
    hy_strided_copy_fn *kernel;
    struct hy_strided_copy_params grid;
};

static inline struct hy_cpu_fill hy_cpu_fill_plan(const struct hy_cpu_resolve_ctx *ctx,
                                                  const struct hy_value *out)
{
    struct hy_cpu_fill fill = {.kernel =
                                   ctx->kernels->strided_copy[hy_cpu_element_size(out->type)]};

    hy_strided_copy_add(&fill.grid, hy_shape_span(&out->shape, 0, out->shape.rank), 0, 1);
    hy_strided_copy_finalize(&fill.grid);
    return fill;
}

static inline void hy_cpu_fill_run(const struct hy_cpu_fill *fill, const void *element, void *out)
{
    fill->kernel(&fill->grid, element, out);
}

#endif
