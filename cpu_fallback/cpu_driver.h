#ifndef HY_CPU_FALLBACK_CPU_DRIVER_H
#define HY_CPU_FALLBACK_CPU_DRIVER_H

#include "halyard/driver.h"

/*
 * The built-in driver: a driver like any other, reached through its table. It has two devices:
 *   0  halyard-cpu      the fastest kernels this machine runs, the scalar ones where there are none
 *   1  nnapi-reference  the scalar kernels only: the oracle, and the last resort
 * Its arguments, which no manifest has, are the instruction sets that halyard-cpu may use: see
 * allowed_levels.h. The set in use is a part of the build id. Memory of every kind that the host
 * can map will do. On a host with cache_save, cache_restore and cache_release halyard-cpu caches,
 * in one file of each kind (see cache/format.h); nnapi-reference never does: it packs nothing. Nor
 * does it keep buffers, as halyard-cpu does.
 */
const struct hy_driver *hy_cpu_driver(void);

/* What a device of this driver does without although the processor has it, and why; "": nothing.
 * It may become something when an operation that would use it is prepared. Static. */
const char *hy_cpu_device_note(const void *device);

#endif
