#ifndef HY_CACHE_STORE_DIGEST_CONTENT_DIGEST_H
#define HY_CACHE_STORE_DIGEST_CONTENT_DIGEST_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

#define HY_SUM_SIZE 16u

/* A data cache file as a digest sees it. */
struct hy_file_sum {
    uint64_t length;
    uint8_t xxh3[HY_SUM_SIZE]; /* XXH3-128 of its bytes in its canonical form */
};

void hy_file_sum_make(const void *data, uint64_t length, struct hy_file_sum *ret);

/*
 * What is recorded under a token for the files of a prepared model: BLAKE2b-256 over the length (8
 * bytes, as the machine holds it) and the bytes of each model cache file, then over length and
 * XXH3-128 of each data cache file. FAILED: the library cannot be started.
 */
HY_MUST_CHECK enum hy_code hy_content_digest(const struct hy_bytes *model, uint32_t model_count,
                                             const struct hy_file_sum *data, uint32_t data_count,
                                             uint8_t ret[HY_DIGEST_SIZE], struct hy_error *err);

/* Takes the same time wherever they differ. */
bool hy_digest_is_equal(const uint8_t left[HY_DIGEST_SIZE], const uint8_t right[HY_DIGEST_SIZE]);

#endif
