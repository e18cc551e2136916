#include "common/distinct_texts.h"

/* 64-bit FNV-1a; 0 means a free slot. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const char *at = text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    return hash ? hash : 1;
}

/* A slot is written once and protects no other data, so relaxed order is enough. */
enum hy_text_novelty hy_distinct_texts_add(struct hy_distinct_texts *texts, const char *text)
{
    const uint64_t hash = hash_of(text);

    for (uint32_t i = 0; i < HY_DISTINCT_TEXTS; i++) {
        uint64_t found = atomic_load_explicit(&texts->hashes[i], memory_order_relaxed);

        if (found == 0 &&
            atomic_compare_exchange_strong_explicit(&texts->hashes[i], &found, hash,
                                                    memory_order_relaxed, memory_order_relaxed))
            return i + 1 < HY_DISTINCT_TEXTS ? HY_TEXT_NEW : HY_TEXT_NEW_LAST;
        if (found == hash)
            return HY_TEXT_KNOWN;
    }
    return HY_TEXT_KNOWN;
}
