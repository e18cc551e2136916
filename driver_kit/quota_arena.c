#include "driver_kit/quota_arena.h"

#include "driver_kit/quota_memory.h"

#include <stdalign.h>

/* The header of a piece, before its elements. */
struct hy_quota_arena_piece {
    alignas(max_align_t) struct hy_quota_arena_piece *next;
};

void *hy_quota_arena_zeros(struct hy_quota_arena *arena, uint64_t count, size_t size)
{
    if (count > (UINT64_MAX - sizeof(struct hy_quota_arena_piece)) / size)
        return NULL;
    struct hy_quota_arena_piece *piece =
        hy_quota_zeros(arena->host, sizeof(struct hy_quota_arena_piece) + count * size, 1);
    if (!piece)
        return NULL;
    piece->next = arena->pieces;
    arena->pieces = piece;
    return piece + 1;
}

void hy_quota_arena_free(struct hy_quota_arena *arena)
{
    while (arena->pieces) {
        struct hy_quota_arena_piece *piece = arena->pieces;
        arena->pieces = piece->next;
        hy_quota_free(piece);
    }
}
