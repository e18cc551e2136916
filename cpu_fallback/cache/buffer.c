#include "cpu_fallback/cache/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "common/checked.h"
#include "cpu_fallback/cache/format.h"

#define FIRST_ROOM ((size_t)4096)

static bool reserve(struct hy_cpu_buffer *buffer, size_t length)
{
    size_t room = buffer->room ? buffer->room : FIRST_ROOM;

    if (length <= buffer->room)
        return true;
    while (room < length)
        room = room > SIZE_MAX / 2 ? SIZE_MAX : room * 2;
    uint8_t *bytes = realloc(buffer->bytes, room);
    if (!bytes)
        return false;
    buffer->bytes = bytes;
    buffer->room = room;
    return true;
}

void hy_cpu_buffer_put(struct hy_cpu_buffer *buffer, const void *bytes, size_t size)
{
    size_t end, rounded;

    if (buffer->has_failed || !hy_add_size(buffer->length, size, &end) ||
        !hy_round_up_size(end, HY_CPU_CACHE_ALIGN, &rounded) || !reserve(buffer, rounded)) {
        buffer->has_failed = true;
        return;
    }
    if (size > 0)
        memcpy(buffer->bytes + buffer->length, bytes, size);
    if (rounded > end)
        memset(buffer->bytes + end, 0, rounded - end);
    buffer->length = rounded;
}

void hy_cpu_buffer_finish(struct hy_cpu_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct hy_cpu_buffer){0};
}

const void *hy_cpu_cursor_take(struct hy_cpu_cursor *cursor, uint64_t count, size_t size)
{
    const uint8_t *bytes = cursor->bytes + cursor->at;
    uint64_t length;
    size_t rounded;

    if (!hy_mul_u64(count, size, &length) || length > cursor->length ||
        !hy_round_up_size((size_t)length, HY_CPU_CACHE_ALIGN, &rounded) ||
        !hy_range_inside(cursor->at, rounded, cursor->length))
        return NULL;
    cursor->at += rounded;
    return bytes;
}
