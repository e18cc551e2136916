#include "cpu_fallback/cache/byte_buffer.h"

#include <string.h>

#include "common/checked.h"
#include "cpu_fallback/cache/format.h"

#define INITIAL_CAPACITY ((size_t)4096)

static bool reserve(struct hy_cpu_byte_buffer *buffer, size_t length)
{
    size_t capacity = buffer->capacity.size ? buffer->capacity.size : INITIAL_CAPACITY;
    struct hy_cpu_block larger = {0};

    if (length <= buffer->capacity.size)
        return true;
    while (capacity < length)
        capacity = capacity > SIZE_MAX / 2 ? SIZE_MAX : capacity * 2;
    if (!hy_cpu_block_reserve(buffer->host, &larger, capacity))
        return false;
    if (buffer->length > 0)
        memcpy(larger.bytes, buffer->capacity.bytes, buffer->length);
    hy_cpu_block_finish(&buffer->capacity);
    buffer->capacity = larger;
    return true;
}

void *hy_cpu_byte_buffer_extend(struct hy_cpu_byte_buffer *buffer, size_t count, size_t size)
{
    const size_t start = buffer->length;
    size_t length, end;

    if (buffer->has_failed || !hy_mul_size(count, size, &length) ||
        !hy_add_size(start, length, &end) || !hy_round_up_size(end, HY_CPU_CACHE_ALIGN, &end) ||
        !reserve(buffer, end)) {
        buffer->has_failed = true;
        return NULL;
    }
    buffer->length = end;
    return memset((uint8_t *)buffer->capacity.bytes + start, 0, end - start);
}

void hy_cpu_byte_buffer_put(struct hy_cpu_byte_buffer *buffer, const void *bytes, size_t size)
{
    void *capacity = size > 0 ? hy_cpu_byte_buffer_extend(buffer, 1, size) : NULL;

    if (capacity)
        memcpy(capacity, bytes, size);
}

void hy_cpu_byte_buffer_finish(struct hy_cpu_byte_buffer *buffer)
{
    hy_cpu_block_finish(&buffer->capacity);
    *buffer = (struct hy_cpu_byte_buffer){0};
}

const void *hy_cpu_cursor_next(void *from, uint64_t count, size_t size)
{
    struct hy_cpu_cursor *cursor = from;
    const uint8_t *bytes = cursor->bytes + cursor->at;
    const size_t left = cursor->length - cursor->at;
    uint64_t length;

    if (!hy_mul_u64(count, size, &length) || length > left)
        return NULL;
    const uint64_t padding = -length % HY_CPU_CACHE_ALIGN;
    if (padding > left - length)
        return NULL;
    cursor->at += (size_t)(length + padding);
    return bytes;
}
