#ifndef HY_CPU_FALLBACK_CACHE_BUFFER_H
#define HY_CPU_FALLBACK_CACHE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu_fallback/memory.h"

/* Bytes that grow at their end: the first `length` of the room. All zero bytes is empty. */
struct hy_cpu_buffer {
    const struct hy_host *host; /* that is asked for memory, or NULL */
    struct hy_cpu_block room;
    size_t length;
    bool has_failed; /* memory ran out: what was put since is missing */
};

/* `count` elements of `size` bytes, all zero, at the end, and zeros up to a multiple of
 * HY_CPU_CACHE_ALIGN: valid until something more is appended. NULL: memory ran out. */
void *hy_cpu_buffer_room(struct hy_cpu_buffer *buffer, size_t count, size_t size);

/* Appends `size` bytes, and zeros up to a multiple of HY_CPU_CACHE_ALIGN: only elements of such a
 * size make an array when they are put one by one. */
void hy_cpu_buffer_put(struct hy_cpu_buffer *buffer, const void *bytes, size_t size);

void hy_cpu_buffer_finish(struct hy_cpu_buffer *buffer);

/* Bytes that are read from their start, in place: records, each at a multiple of
 * HY_CPU_CACHE_ALIGN. */
struct hy_cpu_cursor {
    const uint8_t *bytes; /* aligned to HY_CPU_CACHE_ALIGN */
    size_t length;
    size_t at;
};

/* The next `count` elements of `size` bytes each, and past them; NULL where there are not as many
 * left. `from`: a struct hy_cpu_cursor; the function is the one of a struct hy_piece_source. */
const void *hy_cpu_cursor_take(void *from, uint64_t count, size_t size);

#endif
