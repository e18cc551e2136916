#ifndef HY_CPU_FALLBACK_OP_SLOTS_H
#define HY_CPU_FALLBACK_OP_SLOTS_H

#include <stdbool.h>

#include "cpu_fallback/kernels/kernels.h"

/*
 * Which kernels do the work of an operation, as a part of struct hy_kernel_table: for reports of
 * what is fast. What an operation only does beside its work (widening a float16, looking up a
 * byte) does not count.
 */
struct hy_kernel_slots {
    size_t offset; /* of the first slot */
    size_t size;   /* 0: the operation has no kernels in the table */
};

struct hy_kernel_slots hy_cpu_op_slots(int32_t operation);

/* Whether a table has kernels for the operation that the reference does not have. */
bool hy_cpu_op_is_fast(int32_t operation, const struct hy_kernel_table *kernels);

#endif
