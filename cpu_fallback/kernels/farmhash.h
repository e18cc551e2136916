#ifndef HY_CPU_FALLBACK_KERNELS_FARMHASH_H
#define HY_CPU_FALLBACK_KERNELS_FARMHASH_H

#include <stddef.h>
#include <stdint.h>

/* FarmHash Fingerprint64 of `length` bytes, the hash in the definition of LSH_PROJECTION. The
 * result is the same on every machine. Not for secrets. */
uint64_t hy_farmhash_64(const void *bytes, size_t length);

#endif
