#ifndef HY_CPU_FALLBACK_CPU_DRIVER_H
#define HY_CPU_FALLBACK_CPU_DRIVER_H

#include "halyard/driver.h"

/*
 * The built-in driver. The runtime reaches the driver through its table, like any other driver. Its
 * devices:
 *   0  halyard-cpu      the fastest kernels of this machine, scalar kernels for the rest
 *   1  nnapi-reference  scalar kernels only: the oracle of tests and the last fallback
 * The driver's arguments are the instruction sets that halyard-cpu may use, see
 * allowed_isa_levels.h; no manifest contains them. The instruction set in use is part of the build
 * id. Pools of every kind that the host can map are accepted. halyard-cpu writes one model cache
 * file and one data cache file (cache/format.h) if the host has cache_save, cache_restore and
 * cache_release, and offers buffers. nnapi-reference packs nothing, writes no cache files and
 * offers no buffers.
 */
const struct hy_driver *hy_cpu_driver(void);

/* Names an instruction set that the processor has and the device does not use, with the reason; ""
 * if there is none. The text may change when an operation that would use the instruction set is
 * prepared. Static storage. */
const char *hy_cpu_device_note(const void *device);

#endif
