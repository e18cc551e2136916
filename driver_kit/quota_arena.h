/*
 * An arena: pieces of memory that are freed together, for the data of one compilation. Each piece
 * counts against the quota of the client (driver_kit/quota_memory.h). One thread at a time.
 */
#ifndef HY_DRIVER_KIT_QUOTA_ARENA_H
#define HY_DRIVER_KIT_QUOTA_ARENA_H

#include <halyard/driver.h>

#include <stddef.h>

struct hy_quota_arena_piece;

/* All zero bytes except `host`: an empty arena. */
struct hy_quota_arena {
    const struct hy_host *host;
    struct hy_quota_arena_piece *pieces;
};

/* Allocates `count` elements of `size` bytes (`size` above 0), zeroed, with the alignment of
 * malloc. Valid until hy_quota_arena_free. A count of 0 returns a valid address. NULL: the host
 * refuses, or memory is exhausted. */
void *hy_quota_arena_zeros(struct hy_quota_arena *arena, uint64_t count, size_t size);

/* Frees all pieces. Any thread may call. */
void hy_quota_arena_free(struct hy_quota_arena *arena);

#endif
