#ifndef HY_CPU_FALLBACK_BUFFERS_ROOMS_H
#define HY_CPU_FALLBACK_BUFFERS_ROOMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The memory of a buffer, which grows and never moves: what has become too small stays until the
 * end, because somebody may be reading it. Each room is twice as large as the one before, or more,
 * so that all together are no larger than twice the last. All zero bytes is no memory.
 */
struct hy_cpu_rooms {
    const struct hy_host *host; /* that is asked for memory, or NULL */
    _Atomic(struct hy_cpu_room *) largest;
};

/* Bytes for `size`, aligned to HY_KERNEL_ALIGNMENT; 0 has an address, too. Several threads may call
 * it at once. NULL: out of memory. */
void *hy_cpu_rooms_get(struct hy_cpu_rooms *rooms, uint64_t size);

void hy_cpu_rooms_finish(struct hy_cpu_rooms *rooms);

#endif
