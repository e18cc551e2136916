#include "runtime/threads/core_affinity.h"

bool hy_core_affinity_avoid(const cpu_set_t *busy)
{
    cpu_set_t allowed, others;

    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return false;
    CPU_AND(&others, &allowed, busy);
    CPU_XOR(&others, &others, &allowed);
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0)
        return false;
    (void)sched_setaffinity(0, sizeof allowed, &allowed);
    return true;
}
