#ifndef HY_CPU_FALLBACK_KERNELS_FARMHASH_H
#define HY_CPU_FALLBACK_KERNELS_FARMHASH_H

#include <stddef.h>
#include <stdint.h>

/* FarmHash Fingerprint64 of `length` bytes: the hash that LSH_PROJECTION is defined by. The same on
 * every machine; not for secrets. */
uint64_t hy_farmhash_64(const void *bytes, size_t length);

#endif
