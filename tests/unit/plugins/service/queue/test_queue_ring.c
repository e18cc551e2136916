#include "tests/kit/test.h"

#include <stdlib.h>

#include "common/random.h"
#include "plugins/service/queue/ring.h"

enum { MOST = 8 };

/* A writer and a reader of one ring, as two processes have them. */
struct pair {
    struct hy_ring_header *header;
    struct hy_ring writer, reader;
};

/* Both counters stand at `start`, for rings of capacities that attach would not take, too. */
static struct pair make_pair(uint32_t capacity, uint32_t start)
{
    struct hy_ring_header *header = calloc(1, hy_ring_bytes(capacity));
    if (!header)
        abort();
    hy_ring_format(header, capacity);
    atomic_store(&header->written, start);
    atomic_store(&header->read, start);
    const struct hy_ring ring = {
        .header = header,
        .words = (_Atomic uint64_t *)(header + 1),
        .capacity = capacity,
        .own = start,
        .other = start,
    };
    return (struct pair){header, ring, ring};
}

static union hy_element element(uint64_t number)
{
    return (union hy_element){.words = {number, ~number, number * 3}};
}

static bool is_element(const union hy_element *got, uint64_t number)
{
    const union hy_element want = element(number);

    return memcmp(got, &want, sizeof want) == 0;
}

static enum hy_ring_state put(struct hy_ring *ring, uint64_t first, uint32_t count)
{
    union hy_element elements[2 * MOST];

    for (uint32_t i = 0; i < count; i++)
        elements[i] = element(first + i);
    return hy_ring_write(ring, elements, count);
}

/* Whether `count` elements come out that begin with number `first`. */
static bool pop(struct hy_ring *ring, uint64_t first, uint32_t count)
{
    union hy_element elements[2 * MOST];
    bool right = true;

    hy_ring_pop(ring, elements, count);
    for (uint32_t i = 0; i < count; i++)
        right &= is_element(&elements[i], first + i);
    hy_ring_give_back(ring);
    return right;
}

/* From one state: counters at `start`, `fill` elements inside, `count` more to write, `popped` to
 * read. */
static bool step_is_right(uint32_t capacity, uint32_t start, uint32_t fill, uint32_t count,
                          uint32_t popped)
{
    struct pair pair = make_pair(capacity, start);
    const bool fits = fill + count <= capacity;
    const uint32_t inside = fits ? fill + count : fill;
    uint32_t seen = 0;

    bool right = put(&pair.writer, 0, fill) == HY_RING_DONE;
    right &= put(&pair.writer, fill, count) == (fits ? HY_RING_DONE : HY_RING_WAIT);
    right &= hy_ring_fill(&pair.reader, &seen) == (inside > 0 ? HY_RING_DONE : HY_RING_WAIT);
    right &= seen == inside;
    if (popped > inside)
        popped = inside;
    right &= pop(&pair.reader, 0, popped);
    right &= put(&pair.writer, inside, capacity - inside + popped) == HY_RING_DONE;
    right &= put(&pair.writer, 0, 1) == HY_RING_WAIT;
    right &= hy_ring_fill(&pair.reader, &seen) == HY_RING_DONE && seen == capacity;
    right &= pop(&pair.reader, popped, capacity);
    right &= hy_ring_fill(&pair.reader, &seen) == HY_RING_WAIT;
    free(pair.header);
    return right;
}

TEST(queue_ring, every_state_of_small_rings_near_the_wrap_around)
{
    unsigned wrong = 0, steps = 0;

    for (uint32_t capacity = 1; capacity <= MOST; capacity *= 2)
        for (uint32_t start = 0u - 2 * capacity - 1; start != 2 * capacity + 1; start++)
            for (uint32_t fill = 0; fill <= capacity; fill++)
                for (uint32_t count = 0; count <= capacity; count++)
                    for (uint32_t popped = 0; popped <= capacity; popped++, steps++)
                        wrong += !step_is_right(capacity, start, fill, count, popped);
    EXPECT_INT(wrong, 0);
    EXPECT(steps > 20000);
}

/* Writes `count` numbered elements in one go, and reads them in two, on a ring of any capacity. */
static bool passes_through(struct pair *pair, union hy_element *elements, uint32_t count)
{
    uint32_t fill = 0;
    bool right = true;

    for (uint32_t i = 0; i < count; i++)
        elements[i] = element(i);
    right &= hy_ring_write(&pair->writer, elements, count) == HY_RING_DONE;
    memset(elements, 0, count * sizeof *elements);
    right &= hy_ring_fill(&pair->reader, &fill) == (count > 0 ? HY_RING_DONE : HY_RING_WAIT);
    right &= fill == count;
    hy_ring_pop(&pair->reader, elements, count / 2);
    hy_ring_pop(&pair->reader, elements + count / 2, count - count / 2);
    hy_ring_give_back(&pair->reader);
    for (uint32_t i = 0; i < count; i++)
        right &= is_element(&elements[i], i);
    return right;
}

/* Each capacity that there is, with the wrap-around of the counters at each place of interest:
 * before, in and behind what is written, and where the places of the ring begin anew. */
TEST(queue_ring, every_capacity_survives_the_wrap_around)
{
    static union hy_element elements[HY_RING_MOST_CAPACITY + 1];
    unsigned wrong = 0;

    for (uint32_t capacity = HY_RING_LEAST_CAPACITY; capacity <= HY_RING_MOST_CAPACITY;
         capacity *= 2) {
        const uint32_t counts[] = {0, 1, capacity / 2, capacity - 1, capacity};
        const uint32_t starts[] = {
            0u - capacity - 1, 0u - capacity, 0u - capacity + 1, 0u - capacity / 2, 0u - 1, 0, 1,
            capacity - 1};
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
            struct pair pair = make_pair(capacity, starts[i]);
            for (size_t j = 0; j < sizeof counts / sizeof *counts; j++)
                wrong += !passes_through(&pair, elements, counts[j]);
            wrong += hy_ring_space(&pair.writer, capacity) != HY_RING_DONE;
            wrong += hy_ring_write(&pair.writer, elements, capacity) != HY_RING_DONE;
            wrong += hy_ring_space(&pair.writer, 1) != HY_RING_WAIT;
            free(pair.header);
        }
    }
    EXPECT_INT(wrong, 0);
}

TEST(queue_ring, random_steps_are_those_of_a_simple_queue)
{
    for (uint32_t capacity = 8; capacity <= 64; capacity *= 2) {
        struct pair pair = make_pair(capacity, 0u - 1000);
        uint64_t written = 0, read = 0;
        unsigned wrong = 0;
        struct hy_random random = {1};

        for (int i = 0; i < 20000; i++) {
            uint32_t count = hy_random_below(&random, 9), fill = 0;
            if (hy_random_one_in(&random, 2)) {
                const bool fits = written - read + count <= capacity;
                wrong += put(&pair.writer, written, count) != (fits ? HY_RING_DONE : HY_RING_WAIT);
                written += fits ? count : 0;
                continue;
            }
            (void)hy_ring_fill(&pair.reader, &fill);
            wrong += fill != written - read;
            count = count < fill ? count : fill;
            wrong += !pop(&pair.reader, read, count);
            read += count;
        }
        EXPECT_INT(wrong, 0);
        EXPECT(read > 10000);
        free(pair.header);
    }
}

TEST(queue_ring, skipped_elements_are_not_seen)
{
    struct pair pair = make_pair(8, 0u - 2);
    uint32_t fill = 0;

    EXPECT_INT(put(&pair.writer, 0, 5), HY_RING_DONE);
    EXPECT_INT(hy_ring_fill(&pair.reader, &fill), HY_RING_DONE);
    hy_ring_skip(&pair.reader, 3);
    EXPECT(pop(&pair.reader, 3, 2));
    EXPECT_INT(put(&pair.writer, 5, 8), HY_RING_DONE);
    free(pair.header);
}

/* A count of the other side that cannot be, for each distance from what can. */
TEST(queue_ring, more_elements_than_places_is_a_broken_peer)
{
    for (uint32_t start = 0u - 20; start != 20; start++) {
        struct pair pair = make_pair(8, start);
        uint32_t fill = 77;

        for (uint32_t distance = 9; distance < 30; distance++) {
            atomic_store(&pair.header->written, start + distance);
            EXPECT_INT(hy_ring_fill(&pair.reader, &fill), HY_RING_BROKEN);
            atomic_store(&pair.header->written, start - (distance - 8));
            EXPECT_INT(hy_ring_fill(&pair.reader, &fill), HY_RING_BROKEN);
        }
        EXPECT_INT(fill, 77);
        atomic_store(&pair.header->written, start);
        EXPECT_INT(put(&pair.writer, 0, 8), HY_RING_DONE);
        for (uint32_t distance = 1; distance < 30; distance++) {
            atomic_store(&pair.header->read, start + 8 + distance); /* of what was never written */
            EXPECT_INT(put(&pair.writer, 0, 1), HY_RING_BROKEN);
            atomic_store(&pair.header->read, start - distance); /* given back, and taken again */
            EXPECT_INT(put(&pair.writer, 0, 1), HY_RING_BROKEN);
        }
        free(pair.header);
    }
}

TEST(queue_ring, its_own_counter_is_not_read_back)
{
    struct pair pair = make_pair(8, 5);
    uint32_t fill = 0;

    EXPECT_INT(put(&pair.writer, 0, 3), HY_RING_DONE);
    atomic_store(&pair.header->written, 100);
    atomic_store(&pair.header->read, 5);
    EXPECT_INT(put(&pair.writer, 3, 2), HY_RING_DONE);
    EXPECT_INT(atomic_load(&pair.header->written), 10);
    EXPECT_INT(hy_ring_fill(&pair.reader, &fill), HY_RING_DONE);
    EXPECT_INT(fill, 5);
    EXPECT(pop(&pair.reader, 0, 5));
    free(pair.header);
}

TEST(queue_ring, writing_wakes_a_sleeper_and_only_then)
{
    struct pair pair = make_pair(8, 0);

    EXPECT_INT(put(&pair.writer, 0, 1), HY_RING_DONE);
    EXPECT_INT(atomic_load(&pair.header->reader_sleeps), 0);
    atomic_store(&pair.header->reader_sleeps, 1);
    EXPECT_INT(put(&pair.writer, 1, 1), HY_RING_DONE);
    EXPECT_INT(atomic_load(&pair.header->reader_sleeps), 0);
    atomic_store(&pair.header->writer_sleeps, 1);
    EXPECT(pop(&pair.reader, 0, 2));
    EXPECT_INT(atomic_load(&pair.header->writer_sleeps), 0);
    free(pair.header);
}

TEST(queue_ring, what_is_no_ring_is_refused)
{
    struct hy_ring ring = {0};
    struct hy_error err = {0};
    struct hy_ring_header *header = calloc(1, hy_ring_bytes(16));
    const uint64_t bytes = hy_ring_bytes(16);
    REQUIRE(header != NULL);

    hy_ring_format(header, 16);
    EXPECT_INT(hy_ring_attach(header, bytes, &ring, &err), HY_OK);
    EXPECT_INT(ring.capacity, 16);
    EXPECT_INT(hy_ring_attach(header, bytes - 1, &ring, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "16 elements of 24 bytes does not fit 639 bytes");
    EXPECT_INT(hy_ring_attach(header, 255, &ring, &err), HY_BAD_DATA);
    EXPECT_INT(hy_ring_attach(header, 0, &ring, &err), HY_BAD_DATA);

    static const uint32_t wrong[] = {0, 1, 4, 7, 9, 12, 15, 17, 32, 131072, UINT32_MAX, 1u << 31};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        header->capacity = wrong[i];
        EXPECT_INT(hy_ring_attach(header, bytes, &ring, &err), HY_BAD_DATA);
    }
    header->capacity = 16;
    header->element_bytes = 25;
    EXPECT_INT(hy_ring_attach(header, bytes, &ring, &err), HY_BAD_DATA);
    header->element_bytes = 24;
    header->version = 2;
    EXPECT_INT(hy_ring_attach(header, bytes, &ring, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "version 2");
    header->version = HY_QUEUE_VERSION;
    header->magic = 0;
    EXPECT_INT(hy_ring_attach(header, bytes, &ring, &err), HY_BAD_DATA);
    free(header);
}
