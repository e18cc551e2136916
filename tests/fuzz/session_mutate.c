#include "session_script.h"

#include "tests/fuzz/fuzz.h"

#include <string.h>

/*
 * Changes that keep a script a script: steps are left out, said twice, exchanged, said over another
 * socket or with other descriptors; else the bytes of one step change, and its length with them.
 */
enum { MOST_STEPS = 256 };

struct places {
    size_t at[MOST_STEPS], end[MOST_STEPS]; /* of whole steps */
    uint32_t count;
};

static void find_steps(const uint8_t *data, size_t size, struct places *places)
{
    struct session_script script = {data, size};
    struct session_step step;
    const uint8_t *content;

    for (places->count = 0; places->count < MOST_STEPS; places->count++) {
        places->at[places->count] = size - script.left;
        if (!session_next(&script, &step, &content))
            return;
        places->end[places->count] = size - script.left;
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
    enum { MOST_CONTENT = 4096, SPARE = 64 };
    uint8_t content[MOST_CONTENT + SPARE];
    const size_t head = sizeof(struct session_step);
    const size_t length = end - at - head;

    if (length > MOST_CONTENT)
        return LLVMFuzzerMutate(data, size, most);
    memcpy(content, data + at + head, length);
    const size_t room = length + (most - size < SPARE ? most - size : SPARE);
    const size_t now = LLVMFuzzerMutate(content, length, room);
    const uint32_t bytes = (uint32_t)now;
    memmove(data + at + head + now, data + end, size - end);
    memcpy(data + at + head, content, now);
    memcpy(data + at + offsetof(struct session_step, bytes), &bytes, sizeof bytes);
    return size - length + now;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct places places;

    find_steps(data, size, &places);
    const unsigned chance = seed / 16;
    if (places.count == 0)
        return LLVMFuzzerMutate(data, size, most);
    const uint32_t i = chance % places.count, k = chance / 512 % places.count;
    switch (seed % 16) {
    case 0:
        return leave_out(data, size, places.at[i], places.end[i]);
    case 1:
        return put_before(data, size, most, places.at[i], places.end[i], places.at[k]);
    case 2:
    case 3:
    case 4:
    case 5:
        return change_head(data, size, places.at[i], chance / 512);
    case 6:
        return LLVMFuzzerMutate(data, size, most);
    default:
        return change_content(data, size, most, places.at[i], places.end[i]);
    }
}
