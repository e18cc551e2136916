#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/service/queue/ring.h"

/*
 * Either side of a ring, while the other one writes what it likes. The input is a script of steps
 * of eight bytes: what to do, where, and a number. A reader never gets more elements than there are
 * places, a writer never puts more in than it was told there is room for, and each publishes just
 * what it has done; elements beside the ring stay as they are.
 */
enum { CAPACITY = 8, GUARD = 4 };

enum { STEP_COUNTER, STEP_FLAG, STEP_ELEMENT, STEP_READ, STEP_SKIP, STEP_WRITE, STEP_KINDS };

struct step {
    uint8_t kind, at;
    uint16_t count;
    uint32_t value;
};

struct world {
    _Alignas(64) struct hy_ring_header header;
    union hy_element elements[CAPACITY + GUARD];
    struct hy_ring reader, writer;
    union hy_element copy[CAPACITY];
};

static _Noreturn void complain(const char *what)
{
    fprintf(stderr, "fuzz_queue_ring: %s\n", what);
    abort();
}

static void init(struct world *world)
{
    memset(world, 0, sizeof *world);
    hy_ring_format(&world->header, CAPACITY);
    memset(world->elements + CAPACITY, 0xee, GUARD * sizeof *world->elements);
    if (hy_ring_attach(&world->header, hy_ring_bytes(CAPACITY), &world->reader, NULL) != HY_OK ||
        hy_ring_attach(&world->header, hy_ring_bytes(CAPACITY), &world->writer, NULL) != HY_OK)
        complain("no ring");
}

/* What the reader does with all or a part of what there is. */
static void read_some(struct world *world, const struct step *step)
{
    const uint32_t before = world->reader.own;
    const uint32_t written = atomic_load(&world->header.written);
    uint32_t fill = 0;
    const enum hy_ring_state state = hy_ring_fill(&world->reader, &fill);

    if ((state == HY_RING_BROKEN) != (written - before > CAPACITY))
        complain("a reader that does not see a broken peer, or sees one");
    if (state != HY_RING_DONE)
        return;
    if (fill != written - before || fill > CAPACITY)
        complain("a fill that is not there");
    const uint32_t count = step->count % (fill + 1);
    if (step->kind % STEP_KINDS == STEP_SKIP)
        hy_ring_skip(&world->reader, count);
    else
        hy_ring_pop(&world->reader, world->copy, count);
    hy_ring_give_back(&world->reader);
    if (atomic_load(&world->header.read) != before + count)
        complain("a reader that does not publish what it has read");
}

static void write_some(struct world *world, const struct step *step)
{
    const uint32_t count = step->count % (CAPACITY + 1);
    const uint32_t before = world->writer.own, known = world->writer.other;
    const uint32_t read = atomic_load(&world->header.read);
    const uint32_t published = atomic_load(&world->header.written);
    const enum hy_ring_state state = hy_ring_write(&world->writer, world->copy, count);

    if (state != HY_RING_DONE) {
        if (world->writer.own != before || atomic_load(&world->header.written) != published)
            complain("something written that is not");
        return;
    }
    if (atomic_load(&world->header.written) != before + count)
        complain("a writer that does not publish what it has written");
    /* there was room by what the reader has said, now or before */
    if (before + count - known > CAPACITY && before + count - read > CAPACITY)
        complain("more written than there is room");
}

static void do_step(struct world *world, const struct step *step)
{
    _Atomic uint32_t *const counters[] = {&world->header.written, &world->header.read};
    _Atomic uint32_t *const flags[] = {&world->header.reader_sleeps, &world->header.writer_sleeps};

    switch (step->kind % STEP_KINDS) {
    case STEP_COUNTER: /* near to where it is, or anywhere */
        atomic_store(counters[step->at % 2],
                     step->at & 2 ? step->value
                                  : (step->at & 4 ? world->writer.own : world->reader.own) +
                                        step->value % 32 - 8);
        break;
    case STEP_FLAG:
        atomic_store(flags[step->at % 2], step->value);
        break;
    case STEP_ELEMENT:
        world->elements[step->at % CAPACITY].words[step->count % 3] = step->value;
        break;
    case STEP_WRITE:
        write_some(world, step);
        break;
    default:
        read_some(world, step);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    union hy_element trailing[GUARD];

    init(&world);
    memcpy(trailing, world.elements + CAPACITY, sizeof trailing);
    for (size_t at = 0; size - at >= sizeof(struct step); at += sizeof(struct step)) {
        struct step step;
        memcpy(&step, data + at, sizeof step);
        do_step(&world, &step);
    }
    if (memcmp(trailing, world.elements + CAPACITY, sizeof trailing) != 0)
        complain("written behind the ring");
    return 0;
}

/* Honest traffic of different lengths, for mutations to disturb. */
uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    enum { STEPS = 64 };
    struct step steps[STEPS];

    if (index >= 8)
        return NULL;
    for (unsigned i = 0; i < STEPS; i++)
        steps[i] = (struct step){
            .kind = i % 3 == 1   ? STEP_READ
                    : i % 9 == 2 ? STEP_COUNTER
                                 : STEP_WRITE,
            .at = (uint8_t)(i + index),
            .count = (uint16_t)(i * index),
            .value = 8 + i % (index + 1),
        };
    *length = sizeof steps;
    uint8_t *seed = malloc(sizeof steps);
    if (!seed)
        abort();
    memcpy(seed, steps, sizeof steps);
    return seed;
}
