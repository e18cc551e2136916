#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/service/queue/packet.h"
#include "plugins/service/queue/request_packet.h"

/*
 * The ring of requests as a service finds it: four bytes of what its counter says was written, then
 * elements. What the service takes for a request is well-formed, and says the same when it is
 * written and read again.
 */
enum { CAPACITY = 64 };

struct world {
    _Alignas(
        64) uint8_t memory[sizeof(struct hy_ring_header) + CAPACITY * sizeof(union hy_element)];
    struct hy_ring ring;
    union hy_element elements[CAPACITY];
    struct hy_request_parts parts, again;
};

static _Noreturn void complain(const char *what)
{
    fprintf(stderr, "fuzz_queue_request: %s\n", what);
    abort();
}

static void fill_ring(struct world *world, const uint8_t *data, size_t size)
{
    struct hy_ring_header *header = (struct hy_ring_header *)(void *)world->memory;
    uint32_t written;

    memset(world->memory, 0, sizeof world->memory);
    hy_ring_format(header, CAPACITY);
    if (hy_ring_attach(header, sizeof world->memory, &world->ring, NULL) != HY_OK)
        complain("no ring");
    memcpy(&written, data, sizeof written);
    size -= sizeof written;
    memcpy(header + 1, data + sizeof written,
           size < CAPACITY * sizeof(union hy_element) ? size : CAPACITY * sizeof(union hy_element));
    atomic_store(&header->written, written);
}

static void check_arguments(const struct hy_request_parts *parts)
{
    const uint32_t count = parts->input_count + parts->output_count;

    if (count > CAPACITY || parts->pool_count > CAPACITY)
        complain("more than there is room for");
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_argument *argument = &parts->arguments[i];
        if (argument->rank > HY_MAX_RANK || (argument->rank == 0) != (argument->dims == NULL))
            complain("a wrong rank");
        if (argument->rank > 0 && (argument->dims < parts->dims ||
                                   argument->dims + argument->rank > parts->dims + CAPACITY))
            complain("dimensions from elsewhere");
        if (argument->location.length > 0 && argument->location.pool >= parts->pool_count)
            complain("a pool that is not there");
    }
}

static void check_pools(const struct hy_request_parts *parts)
{
    for (uint32_t i = 0; i < parts->pool_count; i++) {
        if (parts->slots[i] < HY_QUEUE_NO_SLOT)
            complain("a slot below zero");
    }
    if (parts->measure > 1)
        complain("a measure that is neither yes nor no");
}

/* Writes the request again. Pools that are known by a slot need a kind and an id for that. */
static uint32_t write_again(struct world *world)
{
    struct hy_request_parts *parts = &world->parts;
    for (uint32_t i = 0; i < parts->pool_count; i++) {
        if (parts->slots[i] != HY_QUEUE_NO_SLOT)
            parts->pools[i] = (struct hy_pool){.kind = HY_POOL_ASHMEM, .id = 1};
    }
    const struct hy_request request = {
        .struct_size = sizeof request,
        .input_count = parts->input_count,
        .output_count = parts->output_count,
        .pool_count = parts->pool_count,
        .inputs = parts->arguments,
        .outputs = parts->arguments + parts->input_count,
        .pools = parts->pools,
    };
    const struct hy_run_options options = {
        .struct_size = sizeof options,
        .measure = parts->measure,
        .deadline = parts->deadline,
        .loop_timeout = parts->loop_timeout,
    };
    const uint64_t count = hy_request_packet_encode(&request, &options, world->elements, CAPACITY);
    if (count == 0)
        complain("cannot be said again");
    if (count + parts->has_notices > CAPACITY)
        return 0; /* it had no limits, and now it has */
    hy_request_packet_set_slots(&request, parts->slots, world->elements);
    if (parts->has_notices)
        hy_request_packet_add_notices(parts->notices, world->elements);
    return world->elements[0].request.packet.elements;
}

static void compare(const struct hy_request_parts *a, const struct hy_request_parts *b)
{
    if (a->input_count != b->input_count || a->output_count != b->output_count ||
        a->pool_count != b->pool_count || a->measure != b->measure || a->deadline != b->deadline ||
        a->loop_timeout != b->loop_timeout || a->has_notices != b->has_notices ||
        a->notices != b->notices ||
        memcmp(a->slots, b->slots, a->pool_count * sizeof *a->slots) != 0)
        complain("not the same request");
    for (uint32_t i = 0; i < a->input_count + a->output_count; i++) {
        const struct hy_argument *one = &a->arguments[i], *other = &b->arguments[i];
        if (one->flags != other->flags || one->rank != other->rank ||
            memcmp(&one->location, &other->location, sizeof one->location) != 0)
            complain("not the same argument");
        for (uint32_t axis = 0; axis < one->rank; axis++) {
            if (one->dims[axis] != other->dims[axis])
                complain("not the same dimensions");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world *world;
    uint32_t count = 0;

    if (!world) {
        world = aligned_alloc(64, sizeof *world);
        if (!world || hy_request_parts_init(&world->parts, CAPACITY, NULL) != HY_OK ||
            hy_request_parts_init(&world->again, CAPACITY, NULL) != HY_OK)
            abort();
    }
    if (size < sizeof(uint32_t))
        return 0;
    fill_ring(world, data, size);
    /* a packet takes one element at least */
    for (int packets = 0; packets <= CAPACITY; packets++) {
        const enum hy_packet packet = hy_request_packet_pop(&world->ring, world->elements, &count);
        if (packet != HY_PACKET_WHOLE && packet != HY_PACKET_MALFORMED)
            return 0;
        if (packet == HY_PACKET_WHOLE &&
            hy_request_packet_decode(world->elements, count, &world->parts)) {
            check_arguments(&world->parts);
            check_pools(&world->parts);
            count = write_again(world);
            if (count > 0 && !hy_request_packet_decode(world->elements, count, &world->again))
                complain("cannot be read again");
            if (count > 0)
                compare(&world->parts, &world->again);
        }
    }
    complain("more packets than elements");
}

/* ---- Seeds ----------------------------------------------------------------------------------- */

/* Seed `index` has as many inputs, with shapes, beside an output, a slot and a buffer. */
uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    static const uint32_t dims[] = {2, 3};
    struct hy_argument arguments[5] = {{0}};
    const struct hy_pool pools[] = {{.kind = HY_POOL_ASHMEM, .id = 1},
                                    {.kind = HY_POOL_BUFFER, .buffer_token = 77}};
    const int32_t slots[] = {5, 0};
    union hy_element elements[CAPACITY];
    if (index >= 5)
        return NULL;
    for (unsigned i = 0; i < index; i++)
        arguments[i] =
            (struct hy_argument){.rank = 2, .dims = dims, .location = {.length = 24, .padding = i}};
    if (index == 3)
        arguments[0] = (struct hy_argument){.flags = HY_ARGUMENT_NO_VALUE};
    arguments[index].location.pool = 1;

    const struct hy_request request = {
        .struct_size = sizeof request,
        .input_count = index,
        .output_count = 1,
        .pool_count = 2,
        .inputs = arguments,
        .outputs = arguments + index,
        .pools = pools,
    };
    const struct hy_run_options options = {.struct_size = sizeof options,
                                           .deadline = HY_NO_DEADLINE};
    (void)hy_request_packet_encode(&request, &options, elements, CAPACITY);
    hy_request_packet_set_slots(&request, slots, elements);
    if (index)
        hy_request_packet_add_notices(3, elements);
    const uint32_t count = elements[0].request.packet.elements;
    *length = sizeof count + count * sizeof *elements;
    uint8_t *seed = malloc(*length);
    if (!seed)
        abort();
    memcpy(seed, &count, sizeof count);
    memcpy(seed + sizeof count, elements, count * sizeof *elements);
    return seed;
}
