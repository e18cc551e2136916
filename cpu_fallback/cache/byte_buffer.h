#ifndef HY_CPU_FALLBACK_CACHE_BYTE_BUFFER_H
#define HY_CPU_FALLBACK_CACHE_BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu_fallback/cpu_memory.h"

/* A growing byte array. The first `length` bytes of `capacity` are in use. All zero bytes is empty.
 */
struct hy_cpu_byte_buffer {
    const struct hy_host *host; /* for memory quotas, or NULL */
    struct hy_cpu_block capacity;
    size_t length;
    bool has_failed; /* memory ran out, and data is missing */
};

/* Appends `count` zeroed elements of `size` bytes, and zeros up to a multiple of
 * HY_CPU_CACHE_ALIGN. The address is valid until the next append. NULL: memory ran out. */
void *hy_cpu_byte_buffer_extend(struct hy_cpu_byte_buffer *buffer, size_t count, size_t size);

/* Appends `size` bytes, and zeros up to a multiple of HY_CPU_CACHE_ALIGN. Elements appended one at
 * a time form an array only if the element size is a multiple of HY_CPU_CACHE_ALIGN. */
void hy_cpu_byte_buffer_put(struct hy_cpu_byte_buffer *buffer, const void *bytes, size_t size);

void hy_cpu_byte_buffer_finish(struct hy_cpu_byte_buffer *buffer);

/* A cursor over bytes that are read in place, from the start. Records begin at multiples of
 * HY_CPU_CACHE_ALIGN. */
struct hy_cpu_cursor {
    const uint8_t *bytes; /* aligned to HY_CPU_CACHE_ALIGN */
    size_t length;
    size_t at;
};

/* Returns the next `count` elements of `size` bytes and advances the cursor. NULL: fewer elements
 * are left. `from`: a struct hy_cpu_cursor; the function fits struct hy_piece_source. */
const void *hy_cpu_cursor_next(void *from, uint64_t count, size_t size);

#endif
