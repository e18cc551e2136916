#ifndef HY_CPU_FALLBACK_BUFFERS_BUFFERS_H
#define HY_CPU_FALLBACK_BUFFERS_BUFFERS_H

#include "driver_kit/token_table.h"
#include "halyard/driver.h"

/* The live buffers of a device. */
struct hy_cpu_buffers {
    const struct hy_host *host; /* for memory quotas, or NULL */
    struct hy_token_table tokens;
};

#endif
