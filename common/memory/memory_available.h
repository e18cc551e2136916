#ifndef HY_COMMON_MEMORY_MEMORY_AVAILABLE_H
#define HY_COMMON_MEMORY_MEMORY_AVAILABLE_H

#include <stdint.h>

/* The memory of the machine in bytes; UINT64_MAX: unknown. */
uint64_t hy_system_memory(void);

/* The memory available to a process: `machine`, reduced by the limits of the process's control
 * group and all parent groups: memory.max of version 2, memory.limit_in_bytes of version 1.
 * `groups` is like /proc/self/cgroup, `root` like /sys/fs/cgroup; unreadable files set no limit. */
uint64_t hy_memory_available(uint64_t total, const char *groups, const char *root);

#endif
