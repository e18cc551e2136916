#include "runtime/execute/copied.h"

static _Thread_local uint64_t copied;

void hy_copied_add(uint64_t bytes)
{
    copied += bytes;
}

uint64_t hy_copied_by_thread(void)
{
    return copied;
}
