#include "cpu_fallback/buffers/rooms.h"

#include <assert.h>

#include "common/checked.h"
#include "cpu_fallback/kernels/types.h"
#include "cpu_fallback/memory.h"

struct hy_cpu_room {
    struct hy_cpu_room *smaller;
    uint64_t size;
    struct hy_cpu_block block; /* the whole allocation */
};

/* The description and the bytes are one allocation; the bytes start at this offset. */
#define BYTES_AT ((size_t)HY_KERNEL_ALIGNMENT)

static_assert(sizeof(struct hy_cpu_room) <= BYTES_AT, "the room fits before its bytes");

static struct hy_cpu_room *make(const struct hy_host *host, uint64_t size)
{
    struct hy_cpu_block block = {0};
    size_t total;

    if (size > SIZE_MAX || !hy_add_size((size_t)size, BYTES_AT, &total) ||
        !hy_cpu_block_reserve(host, &block, total))
        return NULL;
    struct hy_cpu_room *room = block.bytes;
    *room = (struct hy_cpu_room){.size = size, .block = block};
    return room;
}

static void discard(const struct hy_cpu_room *room)
{
    struct hy_cpu_block block = room->block;

    hy_cpu_block_finish(&block);
}

void *hy_cpu_rooms_get(struct hy_cpu_rooms *rooms, uint64_t size)
{
    struct hy_cpu_room *largest = atomic_load_explicit(&rooms->largest, memory_order_acquire);

    while (!largest || largest->size < size) {
        const uint64_t twice = largest ? 2 * largest->size : 0;
        struct hy_cpu_room *room = make(rooms->host, size > twice ? size : twice);
        if (!room)
            return NULL;
        room->smaller = largest;
        if (atomic_compare_exchange_strong_explicit(&rooms->largest, &largest, room,
                                                    memory_order_acq_rel, memory_order_acquire))
            largest = room;
        else
            discard(room); /* another thread was faster */
    }
    return (uint8_t *)largest + BYTES_AT;
}

void hy_cpu_rooms_finish(struct hy_cpu_rooms *rooms)
{
    struct hy_cpu_room *room = atomic_load_explicit(&rooms->largest, memory_order_acquire);

    while (room) {
        struct hy_cpu_room *smaller = room->smaller;
        discard(room);
        room = smaller;
    }
    atomic_store_explicit(&rooms->largest, NULL, memory_order_relaxed);
}
