#ifndef HY_COMMON_MEMORY_MEMORY_AVAILABLE_H
#define HY_COMMON_MEMORY_MEMORY_AVAILABLE_H

#include <stdint.h>

/* The memory of the machine in bytes; UINT64_MAX: nobody knows. */
uint64_t hy_machine_memory(void);

/* What there is for a process: `machine`, or less where the control group of the process or one of
 * those around it has a limit: memory.max of version 2, memory.limit_in_bytes of version 1.
 * `groups` is like /proc/self/cgroup, `root` like /sys/fs/cgroup; what cannot be read there limits
 * nothing.
 */
uint64_t hy_memory_available(uint64_t machine, const char *groups, const char *root);

#endif
