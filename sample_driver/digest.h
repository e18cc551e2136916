/*
 * Digests for cache files that no host looks at: those that a driver keeps open. (For all others
 * host->cache_save and cache_restore do it.)
 */
#ifndef SAMPLE_DIGEST_H
#define SAMPLE_DIGEST_H

#include <halyard/driver.h>

/* SHA-256 (FIPS 180-4): what steers an execution needs a cryptographic one. */
void sample_digest(const void *bytes, uint64_t length, uint8_t digest[HY_DIGEST_SIZE]);

/* A quick sum that every changed bit changes: enough for numbers, against accidents. */
uint64_t sample_checksum(const void *bytes, uint64_t length);

#endif
