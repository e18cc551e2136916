#ifndef HY_RUNTIME_MEMORY_QUOTA_H
#define HY_RUNTIME_MEMORY_QUOTA_H

#include "common/error.h"

#include <stdbool.h>

/*
 * The memory that drivers in this process may take for the executions of one compilation: what they
 * ask their host for (hy_host.memory_reserve) in a call on a thread that runs one of them. Counted:
 * drivers keep memory from one execution to the next, and may keep it longer than the compilation.
 */
struct hy_memory_quota;

/* Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_memory_quota_create(uint64_t limit, struct hy_memory_quota **ret,
                                                  struct hy_error *err);
void hy_memory_quota_release(struct hy_memory_quota *quota); /* takes NULL */

uint64_t hy_memory_quota_limit(const struct hy_memory_quota *quota);

/* From now on what this thread's calls ask for counts against `quota`; NULL: against none, and
 * nothing is limited. Gives the one before. */
struct hy_memory_quota *hy_memory_quota_use(struct hy_memory_quota *quota);

/* Whether a call that gave `code` lacked memory that the host has refused since then. */
bool hy_memory_quota_is_over(enum hy_code code);

/* hy_host.memory_reserve and memory_release. */
int32_t hy_memory_quota_reserve(void *context, uint64_t bytes, void **ret_reservation);
void hy_memory_quota_give_back(void *context, void *reservation);

#endif
