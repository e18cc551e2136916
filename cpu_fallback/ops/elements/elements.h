#ifndef HY_CPU_FALLBACK_OPS_ELEMENTS_ELEMENTS_H
#define HY_CPU_FALLBACK_OPS_ELEMENTS_ELEMENTS_H

#include "common/operations/operand_type.h"
#include "cpu_fallback/program/op.h"

/* Operations in which each element of the output depends on the elements at its place in the
 * inputs: threads share the elements, and an execution can end between two pieces of them. */
struct hy_cpu_elements {
    size_t count;
    uint32_t tasks; /* of as many elements each, or nearly */
};

/* Elements in a microsecond, roughly, where an element takes a few instructions. */
#define HY_CPU_ELEMENTS_PER_US 8000.0

/* `count` elements, of which a thread computes `per_us` in a microsecond. Sets the time of the
 * step. */
struct hy_cpu_elements hy_cpu_elements_plan(const struct hy_cpu_site *site, size_t count,
                                            double per_us, struct hy_cpu_step *step);

/* Computes elements [first, first + count). */
typedef void hy_cpu_elements_fn(const struct hy_cpu_work *work, size_t first, size_t count);

/* Calls `run` for all elements, on several threads where that may pay. An output without elements
 * is one call, too. */
void hy_cpu_elements_run(const struct hy_cpu_work *work, const struct hy_cpu_elements *elements,
                         hy_cpu_elements_fn *run);

/* The address of element `first` of a tensor. */
static inline void *hy_cpu_elements_at(const struct hy_value *value, size_t first)
{
    return (uint8_t *)value->data + first * hy_operand_type_bytes(value->type);
}

#endif
