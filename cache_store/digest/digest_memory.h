#ifndef HY_CACHE_STORE_DIGEST_DIGEST_MEMORY_H
#define HY_CACHE_STORE_DIGEST_DIGEST_MEMORY_H

#include "cache_store/records/records_owner.h"
#include "halyard/driver.h"

#include <stdatomic.h>

#define HY_DIGESTS_CACHED 64u

/*
 * A cache of recorded digests in memory, to read the records only once per model. The first
 * HY_DIGESTS_CACHED digests stay for the life of the cache; no call waits. A zeroed cache is empty.
 */
struct hy_known_digest {
    atomic_bool is_there; /* the members below are valid and constant */
    uint8_t owner[HY_MARK_SIZE];
    uint8_t token[HY_TOKEN_SIZE];
    uint8_t digest[HY_DIGEST_SIZE];
};

struct hy_digest_memory {
    atomic_uint claimed; /* claimed slots, plus claims that found no slot */
    struct hy_known_digest known[HY_DIGESTS_CACHED];
};

void hy_digest_memory_note(struct hy_digest_memory *memory, const struct hy_records_owner *owner,
                           const uint8_t token[HY_TOKEN_SIZE],
                           const uint8_t digest[HY_DIGEST_SIZE]);

/* True if exactly this digest is in the cache. */
bool hy_digest_memory_has(struct hy_digest_memory *memory, const struct hy_records_owner *owner,
                          const uint8_t token[HY_TOKEN_SIZE], const uint8_t digest[HY_DIGEST_SIZE]);

/* Removes the token from the cache. Call before the digest of a token changes. */
void hy_digest_memory_invalidate(struct hy_digest_memory *memory,
                                 const uint8_t token[HY_TOKEN_SIZE]);

#endif
