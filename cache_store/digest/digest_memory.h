#ifndef HY_CACHE_STORE_DIGEST_DIGEST_MEMORY_H
#define HY_CACHE_STORE_DIGEST_DIGEST_MEMORY_H

#include "cache_store/records/records_owner.h"
#include "halyard/driver.h"

#include <stdatomic.h>

#define HY_DIGESTS_KEPT 64u

/*
 * Digests that this process has found recorded, so that a model that is compiled again does not ask
 * the file again. The first ones stay; nothing is waited for. All zero bytes is empty.
 */
struct hy_known_digest {
    atomic_bool is_there; /* and what follows is constant */
    uint8_t owner[HY_MARK_SIZE];
    uint8_t token[HY_TOKEN_SIZE];
    uint8_t digest[HY_DIGEST_SIZE];
};

struct hy_digest_memory {
    atomic_uint taken; /* slots, and those who found none left */
    struct hy_known_digest known[HY_DIGESTS_KEPT];
};

void hy_digest_memory_note(struct hy_digest_memory *memory, const struct hy_records_owner *owner,
                           const uint8_t token[HY_TOKEN_SIZE],
                           const uint8_t digest[HY_DIGEST_SIZE]);

/* Whether just that has been noted. */
bool hy_digest_memory_has(struct hy_digest_memory *memory, const struct hy_records_owner *owner,
                          const uint8_t token[HY_TOKEN_SIZE], const uint8_t digest[HY_DIGEST_SIZE]);

/* Of a token that is about to have another digest. */
void hy_digest_memory_forget(struct hy_digest_memory *memory, const uint8_t token[HY_TOKEN_SIZE]);

#endif
