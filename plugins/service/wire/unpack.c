#include "plugins/service/wire/pack.h"

#include "common/checked.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hy_unpack_init(struct hy_unpack *in, const char *what, const void *bytes, size_t size,
                    const int *fds, uint32_t fd_count, struct hy_arena *arena, struct hy_error *err)
{
    *in = (struct hy_unpack){.bytes = bytes,
                             .size = size,
                             .fds = fds,
                             .fd_count = fd_count,
                             .arena = arena,
                             .what = what,
                             .code = HY_OK,
                             .err = err};
}

void hy_unpack_fail(struct hy_unpack *in, const char *format, ...)
{
    if (in->code != HY_OK)
        return;
    char text[HY_ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    in->code = hy_fail(in->err, HY_BAD_DATA, "%s: %s", in->what, text);
}

static void fail_of_memory(struct hy_unpack *in, size_t bytes)
{
    in->code = hy_fail(in->err, HY_OUT_OF_MEMORY, "%s: %zu bytes", in->what, bytes);
}

void hy_unpack_retain(struct hy_unpack *in)
{
    const void *copy = hy_arena_copy(in->arena, in->bytes, in->size, 1);
    if (copy)
        in->bytes = copy;
    else
        fail_of_memory(in, in->size);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static bool is_zero(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

const void *hy_unpack_records(struct hy_unpack *in, uint64_t count, size_t size)
{
    const size_t left = in->size - in->at;
    uint64_t bytes;
    size_t padded;

    if (in->code != HY_OK || count == 0)
        return NULL;
    if (!hy_mul_u64(count, size, &bytes) || bytes > left ||
        !hy_round_up_size((size_t)bytes, 8, &padded) || padded > left) {
        hy_unpack_fail(in, "%llu records of %zu bytes do not fit at byte %zu of %zu",
                       (unsigned long long)count, size, in->at, in->size);
        return NULL;
    }
    const uint8_t *records = in->bytes + in->at;
    if (!is_zero(records + bytes, padded - (size_t)bytes)) {
        hy_unpack_fail(in, "padding at byte %zu is not zero", in->at + (size_t)bytes);
        return NULL;
    }
    in->at += padded;
    return records;
}

const char *hy_unpack_text(struct hy_unpack *in)
{
    uint32_t length;

    if (in->code != HY_OK)
        return "";
    if (in->size - in->at < sizeof length) {
        hy_unpack_fail(in, "a text does not fit at byte %zu of %zu", in->at, in->size);
        return "";
    }
    memcpy(&length, in->bytes + in->at, sizeof length);
    const size_t start = in->at + sizeof length;
    const uint8_t *piece = hy_unpack_records(in, sizeof length + (uint64_t)length + 1, 1);
    if (!piece)
        return "";
    const char *text = (const char *)piece + sizeof length;
    if (memchr(text, '\0', (size_t)length + 1) != text + length) {
        hy_unpack_fail(in, "the text at byte %zu does not end after %u bytes", start, length);
        return "";
    }
    return text;
}

/* ---- The rest -------------------------------------------------------------------------------- */

static bool has_fds(struct hy_unpack *in, uint64_t count)
{
    if (in->code == HY_OK && count > in->fd_count - in->fd_at)
        hy_unpack_fail(in, "%llu descriptors needed after %u of %u", (unsigned long long)count,
                       in->fd_at, in->fd_count);
    return in->code == HY_OK;
}

int hy_unpack_fd(struct hy_unpack *in)
{
    return has_fds(in, 1) ? in->fds[in->fd_at++] : -1;
}

const int *hy_unpack_fds(struct hy_unpack *in, uint64_t count)
{
    if (count == 0 || !has_fds(in, count))
        return NULL;
    const int *copy = hy_arena_copy(in->arena, in->fds + in->fd_at, (size_t)count, sizeof *copy);
    if (!copy)
        fail_of_memory(in, (size_t)count * sizeof *copy);
    in->fd_at += (uint32_t)count;
    return copy;
}

void *hy_unpack_reserve(struct hy_unpack *in, uint64_t count, size_t size, size_t least)
{
    const size_t left = in->size - in->at;
    size_t bytes;

    if (in->code != HY_OK || count == 0)
        return NULL;
    if (count > left / least || !hy_mul_size((size_t)count, size, &bytes)) {
        hy_unpack_fail(in, "%llu elements of at least %zu bytes do not fit at byte %zu of %zu",
                       (unsigned long long)count, least, in->at, in->size);
        return NULL;
    }
    void *memory = hy_arena_alloc(in->arena, bytes);
    if (!memory) {
        fail_of_memory(in, bytes);
        return NULL;
    }
    memset(memory, 0, bytes);
    return memory;
}

enum hy_code hy_unpack_end(struct hy_unpack *in)
{
    if (in->at != in->size)
        hy_unpack_fail(in, "%zu unexpected bytes after byte %zu", in->size - in->at, in->at);
    if (in->fd_at != in->fd_count)
        hy_unpack_fail(in, "%u descriptors, needs %u", in->fd_count, in->fd_at);
    return in->code;
}
