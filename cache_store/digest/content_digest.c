#include "cache_store/digest/content_digest.h"

#include "cache_store/digest/xxh3.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

void hy_file_sum_make(const void *data, uint64_t length, struct hy_file_sum *ret)
{
    static_assert(HY_SUM_SIZE == sizeof(XXH128_canonical_t), "a sum is one XXH3-128");
    XXH128_canonical_t canonical;

    XXH128_canonicalFromHash(&canonical, XXH3_128bits(length > 0 ? data : "", length));
    ret->length = length;
    memcpy(ret->xxh3, canonical.digest, sizeof ret->xxh3);
}

static void add(crypto_generichash_state *hash, const void *data, uint64_t length)
{
    if (length > 0)
        crypto_generichash_update(hash, data, length);
}

enum hy_code hy_content_digest(const struct hy_bytes *model, uint32_t model_count,
                               const struct hy_file_sum *data, uint32_t data_count,
                               uint8_t ret[HY_DIGEST_SIZE], struct hy_error *err)
{
    static_assert(HY_DIGEST_SIZE == crypto_generichash_BYTES, "a digest is one BLAKE2b-256");
    crypto_generichash_state hash;

    if (sodium_init() < 0 || crypto_generichash_init(&hash, NULL, 0, HY_DIGEST_SIZE) != 0)
        return hy_fail(err, HY_FAILED, "libsodium cannot be started");
    for (uint32_t i = 0; i < model_count; i++) {
        add(&hash, &model[i].length, sizeof model[i].length);
        add(&hash, model[i].data, model[i].length);
    }
    for (uint32_t i = 0; i < data_count; i++) {
        add(&hash, &data[i].length, sizeof data[i].length);
        add(&hash, data[i].xxh3, sizeof data[i].xxh3);
    }
    crypto_generichash_final(&hash, ret, HY_DIGEST_SIZE);
    return HY_OK;
}

bool hy_digest_is_equal(const uint8_t left[HY_DIGEST_SIZE], const uint8_t right[HY_DIGEST_SIZE])
{
    return sodium_memcmp(left, right, HY_DIGEST_SIZE) == 0;
}
