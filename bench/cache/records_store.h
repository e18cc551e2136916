#ifndef HY_BENCH_CACHE_RECORDS_STORE_H
#define HY_BENCH_CACHE_RECORDS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An embedded store as the records could be kept in: 32-byte digests by 32-byte tokens, and blobs
 * by number. Every function gives false when it fails; find and load also when there is none. */
struct contender {
    const char *name;
    const char *file; /* inside its folder */
    bool (*open)(const char *folder, void **ret);
    void (*close)(void *self);
    bool (*store)(void *self, const uint8_t *token, const uint8_t *digest);
    bool (*find)(void *self, const uint8_t *token, uint8_t *digest);
    bool (*store_blob)(void *self, uint32_t key, const void *blob, size_t length);
    bool (*load_blob)(void *self, uint32_t key, void *blob, size_t length);
};

/* The records as they are, over SQLite: with locks, marks, limits and counts. */
extern const struct contender hy_contender_records;
/* LMDB bare, with nothing of that: what it could reach at best. */
extern const struct contender hy_contender_lmdb;

/* Token and digest number `index`: a digest is told by its token. */
void hy_numbered_token(uint64_t index, uint8_t token[32]);
void hy_digest_for(const uint8_t token[32], uint8_t digest[32]);

/* 8 processes store and find; one at a time is killed, `kills` times. Prints what came of it. */
void hy_records_kill(const struct contender *contender, const char *folder, unsigned kills);

/* Reads and writes `copies` copies of a file of 200 digests, one bit of each turned over or its end
 * cut off. Prints what came of it. */
void hy_records_damage(const struct contender *contender, const char *folder, unsigned copies);

#endif
