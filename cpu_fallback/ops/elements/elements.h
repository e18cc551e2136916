#ifndef HY_CPU_FALLBACK_OPS_ELEMENTS_ELEMENTS_H
#define HY_CPU_FALLBACK_OPS_ELEMENTS_ELEMENTS_H

#include "common/operations/operand_type.h"
#include "cpu_fallback/program/op.h"

/* Elementwise operations: each element of the output depends only on the elements with the same
 * index in the inputs. Threads divide the elements, and an execution can be cancelled between two
 * pieces. */
struct hy_cpu_elements {
    size_t count;
    uint32_t tasks; /* with nearly equal numbers of elements */
};

/* Approximate elements per microsecond, at a few instructions per element. */
#define HY_CPU_ELEMENTS_PER_US 8000.0

/* Plans the tasks for `count` elements. `per_us`: elements per microsecond on one thread. Sets
 * step->us. */
struct hy_cpu_elements hy_cpu_elements_plan(const struct hy_cpu_resolve_ctx *ctx, size_t count,
                                            double per_us, struct hy_cpu_step *step);

/* Computes elements [first, first + count). */
typedef void hy_cpu_elements_fn(const struct hy_cpu_work *work, size_t first, size_t count);

/* Calls `run` for all elements, on several threads if the plan has several tasks. An output without
 * elements also gets a call. */
void hy_cpu_elements_run(const struct hy_cpu_work *work, const struct hy_cpu_elements *elements,
                         hy_cpu_elements_fn *run);

/* The address of element `first` of a tensor. */
static inline void *hy_cpu_elements_at(const struct hy_value *value, size_t first)
{
    return (uint8_t *)value->data + first * hy_operand_type_bytes(value->type);
}

#endif
