#ifndef HY_CPU_FALLBACK_MACHINE_H
#define HY_CPU_FALLBACK_MACHINE_H

#include <stdint.h>

/* Bytes of a processor's second cache, as the system tells; 1 MiB where it does not. */
uint64_t hy_cpu_l2_bytes(void);

#endif
