#include "plugins/service/queue/result_packet.h"

#include <string.h>

#include "common/error.h"
#include "plugins/service/queue/elements.h"

enum { CHUNK = sizeof(((struct hy_result_datum *)0)->text) };

static_assert(HY_QUEUE_TEXT_SIZE == HY_ERROR_TEXT_SIZE + 1 && (HY_QUEUE_TEXT_SIZE - 1) % CHUNK == 0,
              "the words of a failure are whole elements");

/* Returns whether a result with the status has a shape for every output. */
static bool has_shapes(int32_t status)
{
    return status == HY_STATUS_OK || status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static struct hy_result_datum *put(struct hy_element_writer *writer, enum hy_result_tag tag)
{
    return &hy_element_put(writer, (uint8_t)tag)->result;
}

/* False: a rank is too large. */
static bool put_shapes(struct hy_element_writer *writer, const struct hy_result *result)
{
    for (uint32_t i = 0; i < result->output_count; i++) {
        const struct hy_output_shape *shape = &result->outputs[i];
        if (shape->rank > HY_MAX_RANK)
            return false;
        struct hy_result_datum *output = put(writer, HY_RESULT_OUTPUT);
        output->output.sufficient = shape->sufficient != 0;
        output->output.rank = shape->rank;
        for (uint32_t axis = 0; axis < shape->rank; axis++)
            put(writer, HY_RESULT_DIMENSION)->dimension = shape->dims[axis];
    }
    return true;
}

static void put_times(struct hy_element_writer *writer, uint64_t on_device, uint64_t in_driver)
{
    struct hy_result_datum *times = put(writer, HY_RESULT_TIMES);

    times->times.on_device = on_device;
    times->times.in_driver = in_driver;
}

static void put_text(struct hy_element_writer *writer, const char *text)
{
    size_t length = strnlen(text, HY_QUEUE_TEXT_SIZE - 1);

    while (length > 0 && writer->count < writer->space) {
        const size_t chunk = length < CHUNK ? length : CHUNK;
        memcpy(put(writer, HY_RESULT_TEXT)->text, text, chunk);
        text += chunk;
        length -= chunk;
    }
}

static uint32_t encode_failure(int32_t status, const char *text, union hy_element *elements,
                               uint32_t space)
{
    struct hy_element_writer writer = {.elements = elements, .space = space};
    struct hy_result_datum *packet = put(&writer, HY_RESULT_PACKET);

    packet->packet.status = status;
    put_times(&writer, HY_NO_TIME, HY_NO_TIME);
    if (text)
        put_text(&writer, text);
    packet->packet.elements = (uint32_t)writer.count;
    return packet->packet.elements;
}

uint32_t hy_result_packet_encode(int32_t status, const struct hy_result *result, const char *text,
                                 union hy_element *elements, uint32_t space)
{
    struct hy_element_writer writer = {.elements = elements, .space = space};

    if (!has_shapes(status))
        return encode_failure(status, text, elements, space);
    struct hy_result_datum *packet = put(&writer, HY_RESULT_PACKET);
    packet->packet.status = status;
    packet->packet.outputs = result->output_count;
    if (!put_shapes(&writer, result))
        return encode_failure(HY_STATUS_GENERAL_FAILURE,
                              "the result of the driver has a shape with a wrong rank", elements,
                              space);
    put_times(&writer, result->time_on_device, result->time_in_driver);
    if (writer.count > space)
        return encode_failure(HY_STATUS_GENERAL_FAILURE, "the result is larger than its queue",
                              elements, space);
    packet->packet.elements = (uint32_t)writer.count;
    return packet->packet.elements;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static const struct hy_result_datum *get(struct hy_element_reader *reader, enum hy_result_tag tag)
{
    const union hy_element *element = hy_element_get(reader, (uint8_t)tag);
    return element ? &element->result : NULL;
}

/* `shape` NULL: only checks. */
static bool read_shape(struct hy_element_reader *reader, struct hy_output_shape *shape)
{
    const struct hy_result_datum *output = get(reader, HY_RESULT_OUTPUT);
    if (!output || !hy_result_output_fits(output))
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

static bool read_shapes(struct hy_element_reader *reader, uint32_t count,
                        struct hy_output_shape *shapes)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!read_shape(reader, shapes ? &shapes[i] : NULL))
            return false;
    }
    return true;
}

/* Copies the text of another process and replaces control characters, as the text may reach a
 * terminal. */
static void read_text(struct hy_element_reader *reader, char text[HY_QUEUE_TEXT_SIZE])
{
    size_t length = 0;
    const struct hy_result_datum *datum;

    while (length + CHUNK < HY_QUEUE_TEXT_SIZE && (datum = get(reader, HY_RESULT_TEXT))) {
        memcpy(text + length, datum->text, CHUNK);
        length += CHUNK;
    }
    text[length] = '\0';
    for (char *at = text; *at; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    }
}

bool hy_result_packet_decode(const union hy_element *elements, uint32_t count, int32_t *status,
                             struct hy_result *result, char text[HY_QUEUE_TEXT_SIZE])
{
    struct hy_element_reader reader = {elements, elements + count};

    const struct hy_result_datum *packet = get(&reader, HY_RESULT_PACKET);
    if (!packet || packet->packet.elements != count ||
        packet->packet.outputs != (has_shapes(packet->packet.status) ? result->output_count : 0))
        return false;
    const struct hy_element_reader shapes = reader;
    if (!read_shapes(&reader, packet->packet.outputs, NULL))
        return false;
    const struct hy_result_datum *times = get(&reader, HY_RESULT_TIMES);
    if (!times)
        return false;
    read_text(&reader, text);
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
