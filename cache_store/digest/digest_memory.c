#include "cache_store/digest/digest_memory.h"

#include "cache_store/digest/content_digest.h"

#include <string.h>

/* A short identity of an owner, without references to its texts. */
static void owner_of(const struct hy_records_owner *owner, uint8_t mark[HY_MARK_SIZE])
{
    const struct hy_bytes nothing = {.data = "", .length = 0};
    hy_owner_mark(owner, nothing, nothing, mark);
}

/* The number of claimed slots, filled or not. */
static uint32_t count_of(const struct hy_digest_memory *memory)
{
    const uint32_t claimed = atomic_load(&memory->claimed);
    return claimed < HY_DIGESTS_CACHED ? claimed : HY_DIGESTS_CACHED;
}

static bool is_of(struct hy_known_digest *known, const uint8_t *token)
{
    return atomic_load(&known->is_there) && memcmp(known->token, token, sizeof known->token) == 0;
}

void hy_digest_memory_note(struct hy_digest_memory *memory, const struct hy_records_owner *owner,
                           const uint8_t token[HY_TOKEN_SIZE], const uint8_t digest[HY_DIGEST_SIZE])
{
    if (count_of(memory) == HY_DIGESTS_CACHED)
        return;
    const uint32_t slot = atomic_fetch_add(&memory->claimed, 1);
    if (slot >= HY_DIGESTS_CACHED)
        return;
    struct hy_known_digest *known = &memory->known[slot];
    owner_of(owner, known->owner);
    memcpy(known->token, token, sizeof known->token);
    memcpy(known->digest, digest, sizeof known->digest);
    atomic_store(&known->is_there, true);
}

bool hy_digest_memory_has(struct hy_digest_memory *memory, const struct hy_records_owner *owner,
                          const uint8_t token[HY_TOKEN_SIZE], const uint8_t digest[HY_DIGEST_SIZE])
{
    uint8_t mark[HY_MARK_SIZE];

    for (uint32_t i = 0; i < count_of(memory); i++) {
        struct hy_known_digest *known = &memory->known[i];
        if (!is_of(known, token) || !hy_digest_is_equal(known->digest, digest))
            continue;
        owner_of(owner, mark);
        if (memcmp(known->owner, mark, sizeof mark) == 0)
            return true;
    }
    return false;
}

void hy_digest_memory_invalidate(struct hy_digest_memory *memory,
                                 const uint8_t token[HY_TOKEN_SIZE])
{
    for (uint32_t i = 0; i < count_of(memory); i++) {
        if (is_of(&memory->known[i], token))
            atomic_store(&memory->known[i].is_there, false);
    }
}
