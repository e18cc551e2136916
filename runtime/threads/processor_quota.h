#ifndef HY_RUNTIME_PROCESSOR_QUOTA_H
#define HY_RUNTIME_PROCESSOR_QUOTA_H

#include <stdint.h>

/*
 * How many processors the control groups of this process let it keep busy, or UINT32_MAX without a
 * quota: the least quota of its group and all groups above, rounded up to whole processors. Reads
 * cpu.max of version 2, and cpu.cfs_quota_us with cpu.cfs_period_us of version 1, where
 * /proc/self/cgroup and /proc/self/mountinfo say they are. A file that is missing or malformed sets
 * no quota. `root` precedes all paths: "", or the folder of a test.
 */
uint32_t hy_processor_quota(const char *root);

#endif
