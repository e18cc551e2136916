#include "libhalyard/tflite/tflite_reader.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/checked.h"

/* Data after the FlatBuffer, for files beyond the size limit of a FlatBuffer. */

enum hy_code hy_tflite_find_far_bytes(struct hy_tflite_reader *reader, uint64_t offset,
                                      uint64_t size, const void **bytes)
{
    uint64_t end;

    *bytes = NULL;
    if (offset <= 1)
        return HY_OK;
    if (hy_range_inside(offset, size, reader->fb.length)) {
        *bytes = reader->fb.bytes + offset;
        return HY_OK;
    }
    if (hy_add_u64(offset, size, &end))
        reader->fb.missing = end - reader->fb.length;
    return hy_fail(reader->err, HY_BAD_DATA,
                   "%" PRIu64 " bytes at byte %" PRIu64 "; the file has %" PRIu64, size, offset,
                   reader->fb.length);
}

struct range {
    uint64_t begin, end;
    uint32_t buffer;
};

static int by_begin(const void *a, const void *b)
{
    const struct range *first = a, *second = b;

    if (first->begin != second->begin)
        return first->begin < second->begin ? -1 : 1;
    return first->end < second->end ? -1 : first->end > second->end;
}

/* Buffers of identical contents may share a range; otherwise ranges are disjoint. */
static enum hy_code check_apart(struct hy_tflite_reader *reader, const struct range *ranges,
                                uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct range *before = &ranges[i - 1], *range = &ranges[i];
        const bool is_same = before->begin == range->begin && before->end == range->end;
        if (range->begin < before->end && !is_same)
            return hy_fail(reader->err, HY_BAD_DATA,
                           "buffers %" PRIu32 " and %" PRIu32 " overlap at byte %" PRIu64,
                           before->buffer, range->buffer, range->begin);
    }
    return HY_OK;
}

static enum hy_code read_range(struct hy_tflite_reader *reader, uint32_t index, struct range *range,
                               uint32_t *count)
{
    struct hy_fb *fb = &reader->fb;
    const struct hy_fb_table buffer = hy_fb_table_at(fb, &reader->buffers, index);
    const uint64_t offset = hy_fb_u64(fb, &buffer, BUFFER_OFFSET, 0);
    const uint64_t size = hy_fb_u64(fb, &buffer, BUFFER_SIZE, 0);
    const void *bytes;

    if (fb->code != HY_OK)
        return fb->code;
    const enum hy_code code = hy_tflite_find_far_bytes(reader, offset, size, &bytes);
    if (code != HY_OK)
        return hy_error_prefix(reader->err, code, "buffer %" PRIu32, index);
    if (bytes && size > 0) {
        *range = (struct range){.begin = offset, .end = offset + size, .buffer = index};
        (*count)++;
    }
    return HY_OK;
}

enum hy_code hy_tflite_check_far_buffers(struct hy_tflite_reader *reader)
{
    enum hy_code code = HY_OK;
    uint32_t count = 0;
    struct range *ranges = calloc((size_t)reader->buffers.count + 1, sizeof *ranges);

    if (!ranges)
        return hy_fail(reader->err, HY_OUT_OF_MEMORY, "offsets of %" PRIu32 " buffers",
                       reader->buffers.count);
    for (uint32_t i = 0; code == HY_OK && i < reader->buffers.count; i++)
        code = read_range(reader, i, &ranges[count], &count);
    if (code == HY_OK && count > 1) {
        qsort(ranges, count, sizeof *ranges, by_begin);
        code = check_apart(reader, ranges, count);
    }
    free(ranges);
    return code;
}
