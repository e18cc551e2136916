#include "support/played_processors.h"

#include <sched.h>

unsigned hy_played_processors;

int __real_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    if (hy_played_processors == 0)
        return __real_sched_getaffinity(pid, size, set);
    CPU_ZERO_S(size, set);
    for (size_t i = 0; i < hy_played_processors; i++)
        CPU_SET_S(i, size, set);
    return 0;
}
