#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/service/queue/packet.h"
#include "plugins/service/queue/result_packet.h"

/*
 * The ring of results as a client finds it: a byte with the number of outputs of the request, three
 * of what the counter says was written, then elements. What the client takes for a result is whole
 * and says the same when it is written and read again; else nothing of the caller's is touched.
 */
enum { CAPACITY = 64, MOST_OUTPUTS = 8, UNTOUCHED = 0x5a };

struct world {
    _Alignas(
        64) uint8_t memory[sizeof(struct hy_ring_header) + CAPACITY * sizeof(union hy_element)];
    struct hy_ring ring;
    union hy_element elements[CAPACITY];
};

struct decoded_result {
    struct hy_output_shape shapes[MOST_OUTPUTS];
    struct hy_result result;
    int32_t status;
    char text[HY_QUEUE_TEXT_SIZE];
};

static _Noreturn void complain(const char *what)
{
    fprintf(stderr, "fuzz_queue_result: %s\n", what);
    abort();
}

static void fill_ring(struct world *world, const uint8_t *data, size_t size)
{
    struct hy_ring_header *header = (struct hy_ring_header *)(void *)world->memory;
    const size_t most = CAPACITY * sizeof(union hy_element);
    uint32_t written;

    memset(world->memory, 0, sizeof world->memory);
    hy_ring_format(header, CAPACITY);
    if (hy_ring_attach(header, sizeof world->memory, &world->ring, NULL) != HY_OK)
        complain("no ring");
    memcpy(&written, data, sizeof written);
    size -= sizeof written;
    memcpy(header + 1, data + sizeof written, size < most ? size : most);
    atomic_store(&header->written, written >> 8);
}

static bool decode_result(const union hy_element *elements, uint32_t count, uint32_t outputs,
                          struct decoded_result *decoded_result)
{
    memset(decoded_result, UNTOUCHED, sizeof *decoded_result);
    decoded_result->result.output_count = outputs;
    decoded_result->result.outputs = decoded_result->shapes;
    return hy_result_packet_decode(elements, count, &decoded_result->status,
                                   &decoded_result->result, decoded_result->text);
}

static bool has_shapes(int32_t status)
{
    return status == HY_STATUS_OK || status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
}

static void check_shapes(const struct decoded_result *decoded_result, uint32_t outputs)
{
    for (uint32_t i = 0; i < outputs; i++) {
        if (decoded_result->shapes[i].rank > HY_MAX_RANK ||
            decoded_result->shapes[i].sufficient > 1)
            complain("a shape that is none");
    }
}

static void check_untouched(const struct decoded_result *decoded_result, uint32_t outputs)
{
    struct decoded_result untouched;

    memset(&untouched, UNTOUCHED, sizeof untouched);
    if (memcmp(decoded_result->shapes, untouched.shapes,
               outputs * sizeof *decoded_result->shapes) != 0 ||
        decoded_result->result.time_on_device != untouched.result.time_on_device ||
        decoded_result->result.time_in_driver != untouched.result.time_in_driver)
        complain("a result where there is none");
}

static void check_again(struct world *world, const struct decoded_result *decoded_result,
                        uint32_t outputs)
{
    static struct decoded_result again;
    const uint32_t count = hy_result_packet_encode(decoded_result->status, &decoded_result->result,
                                                   decoded_result->text, world->elements, CAPACITY);

    if (!decode_result(world->elements, count, outputs, &again) ||
        again.status != decoded_result->status)
        complain("cannot be read again");
    if (has_shapes(decoded_result->status) &&
        memcmp(again.shapes, decoded_result->shapes, outputs * sizeof *again.shapes) != 0)
        complain("not the same shapes");
    if (!has_shapes(decoded_result->status) && strcmp(again.text, decoded_result->text) != 0)
        complain("not the same words");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    static struct decoded_result decoded_result;
    uint32_t count = 0;

    if (size < sizeof(uint32_t))
        return 0;
    const uint32_t outputs = data[0] % (MOST_OUTPUTS + 1);
    fill_ring(&world, data, size);
    for (int packets = 0; packets <= CAPACITY; packets++) {
        const enum hy_packet packet = hy_result_packet_pop(&world.ring, world.elements, &count);
        if (packet != HY_PACKET_WHOLE && packet != HY_PACKET_MALFORMED)
            return 0;
        if (packet == HY_PACKET_MALFORMED)
            continue;
        const bool read = decode_result(world.elements, count, outputs, &decoded_result);
        if (read && memchr(decoded_result.text, '\0', sizeof decoded_result.text) == NULL)
            complain("words without an end");
        if (read && has_shapes(decoded_result.status))
            check_shapes(&decoded_result, outputs);
        else
            check_untouched(&decoded_result, outputs);
        if (read)
            check_again(&world, &decoded_result, outputs);
    }
    complain("more packets than elements");
}

/* ---- Seeds ----------------------------------------------------------------------------------- */

/* Results of as many outputs as `index`, and a failure in words. */
uint8_t *hy_fuzz_seed(unsigned index, size_t *length)
{
    struct hy_output_shape shapes[4] = {{0}};
    union hy_element elements[CAPACITY];
    if (index >= 6)
        return NULL;

    const uint32_t outputs = index % 4;
    for (uint32_t i = 0; i < outputs; i++)
        shapes[i] = (struct hy_output_shape){.rank = i + 1, .sufficient = 1, .dims = {4, 5, 6}};
    const struct hy_result result = {
        .struct_size = sizeof result, .output_count = outputs, .outputs = shapes};
    const int32_t status = index < 4 ? HY_STATUS_OK : HY_STATUS_GENERAL_FAILURE;
    const uint32_t count =
        hy_result_packet_encode(status, &result, "the words of a failure", elements, CAPACITY);
    const uint32_t head = count << 8 | outputs;
    *length = sizeof head + count * sizeof *elements;
    uint8_t *seed = malloc(*length);
    if (!seed)
        abort();
    memcpy(seed, &head, sizeof head);
    memcpy(seed + sizeof head, elements, count * sizeof *elements);
    return seed;
}
