#ifndef HY_TESTS_KERNELS_TESTED_H
#define HY_TESTS_KERNELS_TESTED_H

#include <stdbool.h>

#include "cpu_fallback/kernels/kernels.h"

/*
 * hy_kernels_at(), or NULL for a level excluded from this run. HALYARD_TEST_KERNELS restricts the
 * run to one level and the reference. NULL also stands for a level with kernels refused by the
 * system.
 */
const struct hy_kernel_table *tested_kernels_at(int level);

/* True if no lower level has the same `part` of the table. A shared part is tested at the lower
 * level. */
bool tested_is_own(int level, const void *part, size_t size);

#endif
