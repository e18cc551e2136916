#include "tests/kit/played_processors.h"

#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

unsigned hy_played_processors;

/* Stands before the function of libc, for shared libraries, too. */
__attribute__((visibility("default"))) int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    memset(set, 0, size);
    if (hy_played_processors == 0)
        return syscall(SYS_sched_getaffinity, pid, size, set) < 0 ? -1 : 0;
    for (size_t i = 0; i < hy_played_processors; i++)
        CPU_SET_S(i, size, set);
    return 0;
}
