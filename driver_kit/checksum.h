/*
 * A quick checksum of 64 bits, against accidents. It keeps nobody from making other bytes of the
 * same sum: where somebody may gain by that, a driver needs a digest of a cryptographic library.
 */
#ifndef HY_DRIVER_KIT_CHECKSUM_H
#define HY_DRIVER_KIT_CHECKSUM_H

#include <stdint.h>

/* Changes with every bit, and with the length in bytes. */
uint64_t hy_checksum(const void *bytes, uint64_t length);

#endif
