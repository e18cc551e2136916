#ifndef HY_RUNTIME_PROCESSOR_QUOTA_H
#define HY_RUNTIME_PROCESSOR_QUOTA_H

#include <stdint.h>

/*
 * Returns the number of processors that the control groups of the process allow, or UINT32_MAX
 * without a quota: the least quota of the process's group and all parent groups, rounded up to
 * whole processors. Reads cpu.max of version 2, and cpu.cfs_quota_us with cpu.cfs_period_us of
 * version 1, at the locations in /proc/self/cgroup and /proc/self/mountinfo. A missing or malformed
 * file sets no quota. `root` is the prefix of all paths: "", or the directory of a test.
 */
uint32_t hy_processor_quota(const char *root);

#endif
