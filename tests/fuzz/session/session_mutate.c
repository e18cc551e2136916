#include "session_script.h"

#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/frame.h"
#include "tests/fuzz/fuzz.h"

#include <android/hardware_buffer.h>
#include <string.h>

/*
 * Changes that keep a script a script: steps are left out, said twice, exchanged, said over another
 * socket or with other descriptors; memory says other things of itself; else the bytes of one step
 * change, and its length with them.
 */
enum { MOST_STEPS = 256 };

struct step_ranges {
    size_t at[MOST_STEPS], end[MOST_STEPS]; /* of whole steps */
    uint32_t count;
};

static void find_steps(const uint8_t *data, size_t size, struct step_ranges *step_ranges)
{
    struct session_script script = {data, size};
    struct session_step step;
    const uint8_t *content;

    for (step_ranges->count = 0; step_ranges->count < MOST_STEPS; step_ranges->count++) {
        step_ranges->at[step_ranges->count] = size - script.left;
        if (!session_next(&script, &step, &content))
            return;
        step_ranges->end[step_ranges->count] = size - script.left;
    }
}

static size_t leave_out(uint8_t *data, size_t size, size_t at, size_t end)
{
    memmove(data + at, data + end, size - end);
    return size - (end - at);
}

/* A copy of [at, end) goes before `to`, which is not inside of it. */
static size_t put_before(uint8_t *data, size_t size, size_t most, size_t at, size_t end, size_t to)
{
    const size_t length = end - at;

    if (size + length > most)
        return size;
    memmove(data + to + length, data + to, size - to);
    memmove(data + to, data + (at >= to ? at + length : at), length);
    return size + length;
}

static size_t change_head(uint8_t *data, size_t size, size_t at, unsigned chance)
{
    struct session_step step;

    memcpy(&step, data + at, sizeof step);
    switch (chance / 8 % 6) {
    case 0:
        step.socket = (uint8_t)(chance / 64 % 6);
        break;
    case 1:
        step.flags ^= (uint8_t)(1U << chance / 64 % 2);
        break;
    case 2:
        step.fd_count = (uint8_t)(chance / 64 % 5);
        break;
    case 3:
        step.kind = (uint8_t)(chance / 64 % SESSION_KINDS);
        break;
    default:
        step.fds[chance / 64 % 2] = (uint8_t)(chance / 256 % SESSION_FD_KINDS);
    }
    memcpy(data + at, &step, sizeof step);
    return size;
}

static size_t change_content(uint8_t *data, size_t size, size_t most, size_t at, size_t end)
{
    enum { MOST_CONTENT = 4096, EXTRA_CAPACITY = 64 };
    uint8_t content[MOST_CONTENT + EXTRA_CAPACITY];
    const size_t head = sizeof(struct session_step);
    const size_t length = end - at - head;

    if (length > MOST_CONTENT)
        return LLVMFuzzerMutate(data, size, most);
    memcpy(content, data + at + head, length);
    const size_t capacity = length + (most - size < EXTRA_CAPACITY ? most - size : EXTRA_CAPACITY);
    const size_t now = LLVMFuzzerMutate(content, length, capacity);
    const uint32_t bytes = (uint32_t)now;
    memmove(data + at + head + now, data + end, size - end);
    memcpy(data + at + head, content, now);
    memcpy(data + at + offsetof(struct session_step, bytes), &bytes, sizeof bytes);
    return size - length + now;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* How a pool lies in the bytes of a frame (docs/service-protocol.md). */
struct pool_record {
    uint32_t kind, protection, token, with;
    uint64_t id, offset, size;
};

static uint32_t one_of(const uint32_t *values, size_t count, unsigned *chance)
{
    *chance = *chance * 2654435761u + 12345;
    return values[(*chance >> 8) % count];
}

/* What fits in the memory of scripts, what does not by a little, and what no memory has. */
static uint32_t any_extent(unsigned *chance)
{
    static const uint32_t extents[] = {0,        1,        2,         3,         16,   63,
                                       64,       65,       64,        128,       4096, 65536,
                                       1u << 30, 1u << 31, INT32_MAX, UINT32_MAX};

    return one_of(extents, sizeof extents / sizeof *extents, chance);
}

static uint32_t any_format(unsigned *chance)
{
    static const uint32_t formats[] = {
        0,
        AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
        AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM,
        AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM,
        AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM,
        AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT,
        AHARDWAREBUFFER_FORMAT_BLOB,
        AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420,
        AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM,
        AHARDWAREBUFFER_FORMAT_D16_UNORM,
        AHARDWAREBUFFER_FORMAT_D24_UNORM,
        AHARDWAREBUFFER_FORMAT_D32_FLOAT,
        AHARDWAREBUFFER_FORMAT_S8_UINT,
        AHARDWAREBUFFER_FORMAT_R8_UNORM,
        AHARDWAREBUFFER_FORMAT_R16_UINT,
        AHARDWAREBUFFER_FORMAT_R16G16_UINT,
        0x777,
    };

    return one_of(formats, sizeof formats / sizeof *formats, chance);
}

static void change_image(struct hy_image *image, unsigned chance)
{
    uint32_t *const members[] = {&image->width, &image->height, &image->layers, &image->stride};

    for (unsigned changes = 1 + chance % 3; changes > 0; changes--) {
        chance = chance * 2654435761u + 12345;
        if (chance >> 8 & 1)
            image->format = any_format(&chance);
        else
            *members[chance >> 9 & 3] = any_extent(&chance);
    }
}

/* What every pool says, images or not. */
static void change_range(struct pool_record *pool, unsigned chance)
{
    static const uint64_t sizes[] = {0, 1, 16, 4096, 4097, 65536, 65537, 1u << 30, INT64_MAX};
    static const uint64_t offsets[] = {0, 1, 4095, 4096, 61440, 65536, INT64_MAX};

    switch (chance % 4) {
    case 0:
        pool->size = sizes[chance / 4 % (sizeof sizes / sizeof *sizes)];
        break;
    case 1:
        pool->offset = offsets[chance / 4 % (sizeof offsets / sizeof *offsets)];
        break;
    case 2:
        pool->protection = chance / 4 % 5;
        break;
    default:
        pool->kind = HY_POOL_HOST + chance / 4 % 6;
    }
}

/* The first memory in the script at or behind `at` says other things of itself. */
static size_t change_memory(uint8_t *data, size_t size, const struct step_ranges *step_ranges,
                            uint32_t first, unsigned chance)
{
    const size_t head = sizeof(struct session_step) + sizeof(struct hy_frame_header);

    for (uint32_t i = 0; i < step_ranges->count; i++) {
        const uint32_t step = (first + i) % step_ranges->count;
        const size_t at = step_ranges->at[step];
        struct hy_frame_header header;
        struct pool_record pool;
        struct hy_image image;
        if (step_ranges->end[step] - at < head + sizeof pool || data[at] != SESSION_FRAME)
            continue;
        memcpy(&header, data + at + sizeof(struct session_step), sizeof header);
        if (header.kind != HY_WIRE_MEMORY_ADD)
            continue;
        memcpy(&pool, data + at + head, sizeof pool);
        const bool has_image = step_ranges->end[step] - at >= head + sizeof pool + sizeof image;
        if (has_image && chance % 4 != 0) {
            memcpy(&image, data + at + head + sizeof pool, sizeof image);
            change_image(&image, chance / 4);
            memcpy(data + at + head + sizeof pool, &image, sizeof image);
        } else {
            change_range(&pool, chance / 4);
            memcpy(data + at + head, &pool, sizeof pool);
        }
        break;
    }
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct step_ranges step_ranges;

    find_steps(data, size, &step_ranges);
    const unsigned chance = seed / 16;
    if (step_ranges.count == 0)
        return LLVMFuzzerMutate(data, size, most);
    const uint32_t i = chance % step_ranges.count, k = chance / 512 % step_ranges.count;
    switch (seed % 16) {
    case 0:
        return leave_out(data, size, step_ranges.at[i], step_ranges.end[i]);
    case 1:
        return put_before(data, size, most, step_ranges.at[i], step_ranges.end[i],
                          step_ranges.at[k]);
    case 2:
    case 3:
    case 4:
    case 5:
        return change_head(data, size, step_ranges.at[i], chance / 512);
    case 6:
        return LLVMFuzzerMutate(data, size, most);
    case 7:
    case 8:
        return change_memory(data, size, &step_ranges, i, chance / 8);
    default:
        return change_content(data, size, most, step_ranges.at[i], step_ranges.end[i]);
    }
}
