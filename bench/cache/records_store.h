#ifndef HY_BENCH_CACHE_RECORDS_STORE_H
#define HY_BENCH_CACHE_RECORDS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A candidate store for the records: 32-byte digests by 32-byte tokens, and blobs by number. Every
 * function returns false on failure; find and load also return false without an entry. */
struct contender {
    const char *name;
    const char *file; /* inside its directory */
    bool (*open)(const char *dir, void **ret);
    void (*close)(void *self);
    bool (*store)(void *self, const uint8_t *token, const uint8_t *digest);
    bool (*find)(void *self, const uint8_t *token, uint8_t *digest);
    bool (*store_blob)(void *self, uint32_t key, const void *blob, size_t length);
    bool (*load_blob)(void *self, uint32_t key, void *blob, size_t length);
};

/* The current records over SQLite: with locks, marks, limits and counts. */
extern const struct contender hy_contender_records;
/* Plain LMDB, without locks, marks, limits and counts: the best possible result of LMDB. */
extern const struct contender hy_contender_lmdb;

/* Token and digest number `index`: the token determines the digest. */
void hy_numbered_token(uint64_t index, uint8_t token[32]);
void hy_digest_for(const uint8_t token[32], uint8_t digest[32]);

/* Runs 8 processes that store and find; kills a process `kills` times. Prints the result. */
void hy_records_kill(const struct contender *contender, const char *dir, unsigned kills);

/* Reads and writes `copies` copies of a file of 200 digests, each with a flipped bit or a truncated
 * end. Prints the result. */
void hy_records_damage(const struct contender *contender, const char *dir, unsigned copies);

#endif
