#include "plugins/service/queue/ring.h"

#include <sched.h>

enum { WORDS = sizeof(union hy_element) / sizeof(uint64_t) };

uint64_t hy_ring_bytes(uint32_t capacity)
{
    return sizeof(struct hy_ring_header) + (uint64_t)capacity * sizeof(union hy_element);
}

void hy_ring_format(void *memory, uint32_t capacity)
{
    struct hy_ring_header *header = memory;

    header->magic = HY_QUEUE_MAGIC;
    header->version = HY_QUEUE_VERSION;
    header->capacity = capacity;
    header->element_bytes = sizeof(union hy_element);
}

static bool is_capacity(uint32_t capacity)
{
    return capacity >= HY_RING_LEAST_CAPACITY && capacity <= HY_RING_MOST_CAPACITY &&
           (capacity & (capacity - 1)) == 0;
}

/* Reads a word once, as the peer may change the word at any time. */
static uint32_t look(const uint32_t *word)
{
    return *(const volatile uint32_t *)word;
}

enum hy_code hy_ring_attach(void *memory, uint64_t bytes, struct hy_ring *ring,
                            struct hy_error *err)
{
    struct hy_ring_header *header = memory;
    if (bytes < sizeof *header)
        return hy_fail(err, HY_BAD_DATA, "a ring has %llu bytes, its header needs %zu",
                       (unsigned long long)bytes, sizeof *header);

    const uint32_t magic = look(&header->magic), version = look(&header->version);
    const uint32_t element_bytes = look(&header->element_bytes);
    const uint32_t capacity = look(&header->capacity);
    if (magic != HY_QUEUE_MAGIC || version != HY_QUEUE_VERSION)
        return hy_fail(err, HY_BAD_DATA, "not a ring of version %u: magic %08x, version %u",
                       HY_QUEUE_VERSION, magic, version);
    if (element_bytes != sizeof(union hy_element) || !is_capacity(capacity) ||
        hy_ring_bytes(capacity) > bytes)
        return hy_fail(err, HY_BAD_DATA,
                       "a ring of %u elements of %u bytes does not fit %llu bytes", capacity,
                       element_bytes, (unsigned long long)bytes);
    *ring = (struct hy_ring){
        .header = header,
        .words = (_Atomic uint64_t *)(header + 1),
        .capacity = capacity,
    };
    return HY_OK;
}

/* Returns the words of an element. Elements are copied word by word, atomically. A concurrent write
 * of the peer changes the copy, but never a value that was already checked. */
static _Atomic uint64_t *location(const struct hy_ring *ring, uint32_t count)
{
    return ring->words + (size_t)(count & (ring->capacity - 1)) * WORDS;
}

enum hy_ring_state hy_ring_space(struct hy_ring *ring, uint32_t count)
{
    if (ring->capacity - (ring->own - ring->other) >= count)
        return HY_RING_DONE;
    const uint32_t read = atomic_load_explicit(&ring->header->read, memory_order_acquire);
    if (ring->own - read > ring->capacity)
        return HY_RING_BROKEN;
    ring->other = read;
    return ring->capacity - (ring->own - read) >= count ? HY_RING_DONE : HY_RING_WAIT;
}

enum hy_ring_state hy_ring_write(struct hy_ring *ring, const union hy_element *elements,
                                 uint32_t count)
{
    const enum hy_ring_state state = hy_ring_space(ring, count);
    if (state != HY_RING_DONE)
        return state;

    for (uint32_t i = 0; i < count; i++) {
        _Atomic uint64_t *words = location(ring, ring->own + i);
        for (int j = 0; j < WORDS; j++)
            atomic_store_explicit(&words[j], elements[i].words[j], memory_order_relaxed);
    }
    ring->own += count;
    atomic_store(&ring->header->written, ring->own);
    hy_wake(&ring->header->reader_sleeps);
    return HY_RING_DONE;
}

struct hy_wait_point hy_ring_space_point(const struct hy_ring *ring)
{
    return (struct hy_wait_point){
        .counter = &ring->header->read,
        .sleeps = &ring->header->writer_sleeps,
        .seen = ring->other,
    };
}

enum hy_ring_state hy_ring_fill(struct hy_ring *ring, uint32_t *fill)
{
    const uint32_t written = atomic_load_explicit(&ring->header->written, memory_order_acquire);
    if (written - ring->own > ring->capacity)
        return HY_RING_BROKEN;
    ring->other = written;
    *fill = written - ring->own;
    return *fill > 0 ? HY_RING_DONE : HY_RING_WAIT;
}

struct hy_wait_point hy_ring_fill_point(const struct hy_ring *ring)
{
    return (struct hy_wait_point){
        .counter = &ring->header->written,
        .sleeps = &ring->header->reader_sleeps,
        .seen = ring->own,
    };
}

void hy_ring_pop(struct hy_ring *ring, union hy_element *elements, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        _Atomic uint64_t *words = location(ring, ring->own + i);
        for (int j = 0; j < WORDS; j++)
            elements[i].words[j] = atomic_load_explicit(&words[j], memory_order_relaxed);
    }
    ring->own += count;
}

void hy_ring_skip(struct hy_ring *ring, uint32_t count)
{
    ring->own += count;
}

void hy_ring_give_back(struct hy_ring *ring)
{
    atomic_store_explicit(&ring->header->reader_cpu, (uint32_t)sched_getcpu() + 1,
                          memory_order_relaxed);
    atomic_store(&ring->header->read, ring->own);
    hy_wake(&ring->header->writer_sleeps);
}
