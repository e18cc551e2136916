#ifndef HY_RUNTIME_MEMORY_QUOTA_H
#define HY_RUNTIME_MEMORY_QUOTA_H

#include "common/error.h"

#include <stdbool.h>

/*
 * The memory quota of the executions of one compilation. Reservations of in-process drivers
 * (hy_host.memory_reserve) in calls on a thread of such an execution count against the quota. The
 * quota is reference-counted, because a driver may hold reservations longer than the compilation
 * exists.
 */
struct hy_memory_quota;

/* Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_memory_quota_create(uint64_t limit, struct hy_memory_quota **ret,
                                                  struct hy_error *err);
void hy_memory_quota_release(struct hy_memory_quota *quota); /* NULL is ignored */

uint64_t hy_memory_quota_limit(const struct hy_memory_quota *quota);

/* Sets the quota for reservations of this thread's calls; NULL: no limit. Returns the previous
 * quota. */
struct hy_memory_quota *hy_memory_quota_use(struct hy_memory_quota *quota);

/* Whether the host has refused a reservation during a call with result `code`. */
bool hy_memory_quota_is_over(enum hy_code code);

/* hy_host.memory_reserve and memory_release. */
int32_t hy_memory_quota_reserve(void *context, uint64_t bytes, void **ret_reservation);
void hy_memory_quota_give_back(void *context, void *reservation);

#endif
