#include "cpu_fallback/cpu_info.h"

#include <unistd.h>

#define USUAL_L2_BYTES ((uint64_t)1 << 20)

uint64_t hy_cpu_l2_bytes(void)
{
#if defined(_SC_LEVEL2_CACHE_SIZE)
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);

    if (bytes > 0)
        return (uint64_t)bytes;
#endif
    return USUAL_L2_BYTES;
}
