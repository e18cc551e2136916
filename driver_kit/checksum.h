/*
 * A fast 64-bit checksum against accidental changes. The checksum gives no protection against
 * deliberate collisions; use a cryptographic digest against an attacker.
 */
#ifndef HY_DRIVER_KIT_CHECKSUM_H
#define HY_DRIVER_KIT_CHECKSUM_H

#include <stdint.h>

/* The checksum of `length` bytes. Every bit and the length affect the result. */
uint64_t hy_checksum(const void *bytes, uint64_t length);

#endif
