#ifndef HY_CACHE_STORE_DIGEST_CONTENT_DIGEST_H
#define HY_CACHE_STORE_DIGEST_CONTENT_DIGEST_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

#define HY_SUM_SIZE 16u

/* Length and hash of a data cache file, for a digest. */
struct hy_file_sum {
    uint64_t length;
    uint8_t xxh3[HY_SUM_SIZE]; /* XXH3-128 of the bytes in canonical form */
};

void hy_file_sum_make(const void *data, uint64_t length, struct hy_file_sum *ret);

/*
 * Computes the digest of a prepared model's files: BLAKE2b-256 over the length (8 bytes, native
 * byte order) and the bytes of each model cache file, followed by length and XXH3-128 of each data
 * cache file. FAILED: the library cannot be started.
 */
HY_MUST_CHECK enum hy_code hy_content_digest(const struct hy_bytes *model, uint32_t model_count,
                                             const struct hy_file_sum *data, uint32_t data_count,
                                             uint8_t ret[HY_DIGEST_SIZE], struct hy_error *err);

/* Compares two digests in constant time. */
bool hy_digest_is_equal(const uint8_t left[HY_DIGEST_SIZE], const uint8_t right[HY_DIGEST_SIZE]);

#endif
