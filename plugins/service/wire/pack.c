#include "plugins/service/wire/pack.h"

#include "common/checked.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum memory reused for the next body: enough for executions, not for large models. */
#define RETAINED_BYTES ((size_t)1 << 20)
#define SMALLEST_BYTES ((size_t)1024)

void hy_pack_init(struct hy_pack *pack)
{
    pack->bytes = NULL;
    pack->capacity = 0;
    hy_pack_reset(pack);
}

void hy_pack_finish(struct hy_pack *pack)
{
    free(pack->bytes);
    hy_pack_init(pack);
}

void hy_pack_reset(struct hy_pack *pack)
{
    if (pack->capacity > RETAINED_BYTES) {
        free(pack->bytes);
        pack->bytes = NULL;
        pack->capacity = 0;
    }
    pack->size = 0;
    pack->fd_count = 0;
    pack->code = HY_OK;
}

void hy_pack_fail(struct hy_pack *pack, enum hy_code code, const char *format, ...)
{
    if (pack->code != HY_OK)
        return;
    char text[HY_ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pack->code = hy_fail(&pack->error, code, "%s", text);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static bool grow(struct hy_pack *pack, size_t needed)
{
    size_t capacity = pack->capacity ? pack->capacity : SMALLEST_BYTES;
    while (capacity < needed)
        capacity *= 2;

    uint8_t *bytes = realloc(pack->bytes, capacity);
    if (!bytes) {
        hy_pack_fail(pack, HY_OUT_OF_MEMORY, "a body of %zu bytes", needed);
        return false;
    }
    pack->bytes = bytes;
    pack->capacity = capacity;
    return true;
}

/* Extends the body by `bytes` bytes; the padding is zeroed. */
static uint8_t *extend(struct hy_pack *pack, size_t bytes)
{
    size_t padded, whole;

    if (!hy_round_up_size(bytes, 8, &padded) || !hy_add_size(pack->size, padded, &whole) ||
        whole > HY_FRAME_MOST_BODY) {
        hy_pack_fail(pack, HY_BAD_DATA, "%zu more bytes behind %zu do not fit into a body of %zu",
                     bytes, pack->size, HY_FRAME_MOST_BODY);
        return NULL;
    }
    if (whole > pack->capacity && !grow(pack, whole))
        return NULL;
    uint8_t *space = pack->bytes + pack->size;
    if (padded > 0)
        memset(space + padded - 8, 0, 8);
    pack->size = whole;
    return space;
}

static uint8_t *extend_by_records(struct hy_pack *pack, size_t count, size_t size)
{
    size_t bytes;

    if (pack->code != HY_OK || count == 0)
        return NULL;
    if (!hy_mul_size(count, size, &bytes)) {
        hy_pack_fail(pack, HY_BAD_DATA, "%zu records of %zu bytes do not fit into a body", count,
                     size);
        return NULL;
    }
    return extend(pack, bytes);
}

void *hy_pack_records(struct hy_pack *pack, size_t count, size_t size)
{
    uint8_t *space = extend_by_records(pack, count, size);
    if (space)
        memset(space, 0, count * size);
    return space;
}

void hy_pack_copy(struct hy_pack *pack, const void *source, size_t count, size_t size)
{
    if (count > 0 && !source) {
        hy_pack_fail(pack, HY_UNEXPECTED_NULL, "%zu elements of %zu bytes are at NULL", count,
                     size);
        return;
    }
    uint8_t *space = extend_by_records(pack, count, size);
    if (space)
        memcpy(space, source, count * size);
}

/* The length without the NUL, then the text with it. */
void hy_pack_text(struct hy_pack *pack, const char *text)
{
    if (!text) {
        hy_pack_fail(pack, HY_UNEXPECTED_NULL, "a text is NULL");
        return;
    }
    const size_t length = strlen(text);
    if (length >= HY_FRAME_MOST_BODY) {
        hy_pack_fail(pack, HY_BAD_DATA, "a text of %zu bytes", length);
        return;
    }
    uint8_t *space = extend_by_records(pack, 1, sizeof(uint32_t) + length + 1);
    if (!space)
        return;
    const uint32_t written = (uint32_t)length;
    memcpy(space, &written, sizeof written);
    memcpy(space + sizeof written, text, length + 1);
}

/* ---- The rest -------------------------------------------------------------------------------- */

void hy_pack_fd(struct hy_pack *pack, int fd)
{
    if (fd < 0)
        hy_pack_fail(pack, HY_BAD_DATA, "descriptor %u is %d", pack->fd_count, fd);
    else if (pack->fd_count == HY_FRAME_MOST_FDS)
        hy_pack_fail(pack, HY_BAD_DATA, "more than %u descriptors in one frame", HY_FRAME_MOST_FDS);
    if (pack->code == HY_OK)
        pack->fds[pack->fd_count++] = fd;
}

void hy_pack_append(struct hy_pack *pack, const struct hy_pack *other)
{
    if (other->code != HY_OK)
        hy_pack_fail(pack, other->code, "%s", other->error.text);
    hy_pack_copy(pack, other->bytes, other->size, 1);
    for (uint32_t i = 0; i < other->fd_count; i++)
        hy_pack_fd(pack, other->fds[i]);
}
