/*
 * Memory that is freed together: what a driver makes piece by piece while it compiles. Each piece
 * counts against the quota of the client (driver_kit/quota_memory.h). One thread at a time.
 */
#ifndef HY_DRIVER_KIT_QUOTA_ARENA_H
#define HY_DRIVER_KIT_QUOTA_ARENA_H

#include <halyard/driver.h>

#include <stddef.h>

struct hy_quota_arena_piece;

/* All zero bytes with a host is an empty arena. */
struct hy_quota_arena {
    const struct hy_host *host;
    struct hy_quota_arena_piece *pieces;
};

/* `count` elements of `size` bytes, above 0, all zero, aligned as malloc aligns, until
 * hy_quota_arena_free. A piece of no elements has an address as well. NULL: the host refuses, or
 * there is no memory. */
void *hy_quota_arena_zeros(struct hy_quota_arena *arena, uint64_t count, size_t size);

/* Frees all pieces, from any thread. */
void hy_quota_arena_free(struct hy_quota_arena *arena);

#endif
