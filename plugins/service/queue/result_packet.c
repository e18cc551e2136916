#include "plugins/service/queue/result_packet.h"

#include <string.h>

#include "common/error.h"

enum { CHUNK = sizeof(((struct hy_result_datum *)0)->words) };

static_assert(HY_QUEUE_WORDS_SIZE == HY_ERROR_TEXT_SIZE + 1 &&
                  (HY_QUEUE_WORDS_SIZE - 1) % CHUNK == 0,
              "the words of a failure are whole elements");

/* With these, a result has a shape for every output. */
static bool has_shapes(int32_t status)
{
    return status == HY_STATUS_OK || status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static struct hy_result_datum *put(union hy_element **next, enum hy_result_tag tag)
{
    union hy_element *element = (*next)++;

    *element = (union hy_element){.words = {0}};
    element->result.tag = (uint8_t)tag;
    return &element->result;
}

/* False: a shape that is none. */
static bool measure(const struct hy_result *result, uint64_t *elements)
{
    uint64_t count = 2;

    for (uint32_t i = 0; i < result->output_count; i++) {
        if (result->outputs[i].rank > HY_MAX_RANK)
            return false;
        count += 1 + result->outputs[i].rank;
    }
    *elements = count;
    return true;
}

static void put_shapes(union hy_element **next, const struct hy_result *result)
{
    for (uint32_t i = 0; i < result->output_count; i++) {
        const struct hy_output_shape *shape = &result->outputs[i];
        struct hy_result_datum *output = put(next, HY_RESULT_OUTPUT);
        output->output.sufficient = shape->sufficient != 0;
        output->output.rank = shape->rank;
        for (uint32_t axis = 0; axis < shape->rank; axis++)
            put(next, HY_RESULT_DIMENSION)->dimension = shape->dims[axis];
    }
}

static void put_times(union hy_element **next, uint64_t on_device, uint64_t in_driver)
{
    struct hy_result_datum *times = put(next, HY_RESULT_TIMES);

    times->times.on_device = on_device;
    times->times.in_driver = in_driver;
}

static void put_words(union hy_element **next, const char *words, uint32_t room)
{
    size_t length = strnlen(words, HY_QUEUE_WORDS_SIZE - 1);

    for (; length > 0 && room > 0; room--) {
        const size_t chunk = length < CHUNK ? length : CHUNK;
        memcpy(put(next, HY_RESULT_WORDS)->words, words, chunk);
        words += chunk;
        length -= chunk;
    }
}

static uint32_t encode_failure(int32_t status, const char *words, union hy_element *elements,
                               uint32_t room)
{
    union hy_element *next = elements;
    struct hy_result_datum *packet = put(&next, HY_RESULT_PACKET);

    packet->packet.status = status;
    put_times(&next, HY_NO_TIME, HY_NO_TIME);
    if (words)
        put_words(&next, words, room - 2);
    packet->packet.elements = (uint32_t)(next - elements);
    return packet->packet.elements;
}

uint32_t hy_result_packet_encode(int32_t status, const struct hy_result *result, const char *words,
                                 union hy_element *elements, uint32_t room)
{
    uint64_t count;

    if (!has_shapes(status))
        return encode_failure(status, words, elements, room);
    if (!measure(result, &count))
        return encode_failure(HY_STATUS_GENERAL_FAILURE, "the driver told a shape of a wrong rank",
                              elements, room);
    if (count > room)
        return encode_failure(HY_STATUS_GENERAL_FAILURE, "the result is larger than its queue",
                              elements, room);

    union hy_element *next = elements;
    struct hy_result_datum *packet = put(&next, HY_RESULT_PACKET);
    packet->packet.elements = (uint32_t)count;
    packet->packet.status = status;
    packet->packet.outputs = result->output_count;
    put_shapes(&next, result);
    put_times(&next, result->time_on_device, result->time_in_driver);
    return (uint32_t)count;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct reader {
    const union hy_element *next;
    const union hy_element *end;
};

/* The next element, if it has the tag, else NULL. */
static const struct hy_result_datum *get(struct reader *reader, enum hy_result_tag tag)
{
    if (reader->next == reader->end || reader->next->result.tag != tag)
        return NULL;
    return &reader->next++->result;
}

/* `shape` may be NULL: only checks. */
static bool read_shape(struct reader *reader, struct hy_output_shape *shape)
{
    const struct hy_result_datum *output = get(reader, HY_RESULT_OUTPUT);
    if (!output || output->output.sufficient > 1 || output->output.rank > HY_MAX_RANK)
        return false;
    if (shape)
        *shape = (struct hy_output_shape){
            .rank = output->output.rank,
            .sufficient = output->output.sufficient,
        };
    for (uint32_t axis = 0; axis < output->output.rank; axis++) {
        const struct hy_result_datum *dimension = get(reader, HY_RESULT_DIMENSION);
        if (!dimension)
            return false;
        if (shape)
            shape->dims[axis] = dimension->dimension;
    }
    return true;
}

static bool read_shapes(struct reader *reader, uint32_t count, struct hy_output_shape *shapes)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!read_shape(reader, shapes ? &shapes[i] : NULL))
            return false;
    }
    return true;
}

/* Words of another process end up on terminals. */
static void read_words(struct reader *reader, char words[HY_QUEUE_WORDS_SIZE])
{
    size_t length = 0;
    const struct hy_result_datum *datum;

    while (length + CHUNK < HY_QUEUE_WORDS_SIZE && (datum = get(reader, HY_RESULT_WORDS))) {
        memcpy(words + length, datum->words, CHUNK);
        length += CHUNK;
    }
    words[length] = '\0';
    for (char *at = words; *at; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    }
}

bool hy_result_packet_decode(const union hy_element *elements, uint32_t count, int32_t *status,
                             struct hy_result *result, char words[HY_QUEUE_WORDS_SIZE])
{
    struct reader reader = {elements, elements + count};

    const struct hy_result_datum *packet = get(&reader, HY_RESULT_PACKET);
    if (!packet || packet->packet.elements != count ||
        packet->packet.outputs != (has_shapes(packet->packet.status) ? result->output_count : 0))
        return false;
    const struct reader shapes = reader;
    if (!read_shapes(&reader, packet->packet.outputs, NULL))
        return false;
    const struct hy_result_datum *times = get(&reader, HY_RESULT_TIMES);
    if (!times)
        return false;
    read_words(&reader, words);
    if (reader.next != reader.end)
        return false;

    if (has_shapes(packet->packet.status)) {
        reader = shapes;
        (void)read_shapes(&reader, packet->packet.outputs, result->outputs);
        result->time_on_device = times->times.on_device;
        result->time_in_driver = times->times.in_driver;
    }
    *status = packet->packet.status;
    return true;
}
