#ifndef HY_TESTS_KERNELS_TESTED_H
#define HY_TESTS_KERNELS_TESTED_H

#include <stdbool.h>

#include "cpu_fallback/kernels/kernels.h"

/*
 * hy_kernels_at(), and NULL for what is not to be tested here: where the machine is known for the
 * set that HALYARD_TEST_KERNELS names, the sets below that have a machine of their own; and a set
 * that the system refuses.
 */
const struct hy_kernel_table *tested_kernels_at(int level);

/* Whether the level has `part` of its table for itself; what it has from another is tested there.
 */
bool tested_is_own(int level, const void *part, size_t size);

#endif
