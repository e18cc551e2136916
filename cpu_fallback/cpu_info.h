#ifndef HY_CPU_FALLBACK_CPU_INFO_H
#define HY_CPU_FALLBACK_CPU_INFO_H

#include <stdint.h>

/* Size of a core's L2 cache in bytes, from the system; 1 MiB if the system does not report a
 * size. */
uint64_t hy_cpu_l2_bytes(void);

#endif
