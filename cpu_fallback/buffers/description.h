#ifndef HY_CPU_FALLBACK_BUFFERS_DESCRIPTION_H
#define HY_CPU_FALLBACK_BUFFERS_DESCRIPTION_H

#include "cpu_fallback/buffers/cpu_buffer.h"

/*
 * Creates a buffer from its description, without memory and without a token. hy_cpu_free() frees
 * it. Errors: HY_BAD_DATA (no prepared model, or a model of another device; no role, a duplicate
 * role, or a role of a model, input or output that does not exist; a frequency outside (0, 1];
 * roles of different types, scales, zero points or channel scales; contradicting shapes; a shape
 * for a scalar), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_buffer_describe(struct hy_cpu_buffers *owner,
                                                  const struct hy_buffer_desc *desc,
                                                  struct hy_cpu_buffer **out, struct hy_error *err);

/* Compares two roles, for qsort and bsearch. */
int hy_cpu_buffer_role_compare(const void *a, const void *b);

#endif
