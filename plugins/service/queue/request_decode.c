#include "plugins/service/queue/request_packet.h"

#include "common/operations/control_flow.h"
#include "plugins/service/queue/elements.h"

#include <stdlib.h>

enum hy_code hy_request_parts_init(struct hy_request_parts *parts, uint32_t capacity,
                                   struct hy_error *err)
{
    struct hy_request_parts made = {
        .arguments = calloc(capacity, sizeof *made.arguments),
        .dims = calloc(capacity, sizeof *made.dims),
        .pools = calloc(capacity, sizeof *made.pools),
        .slots = calloc(capacity, sizeof *made.slots),
        .capacity = capacity,
    };
    if (!made.arguments || !made.dims || !made.pools || !made.slots) {
        hy_request_parts_finish(&made);
        return hy_fail(err, HY_OUT_OF_MEMORY, "requests of %u elements", capacity);
    }
    *parts = made;
    return HY_OK;
}

void hy_request_parts_finish(struct hy_request_parts *parts)
{
    free(parts->arguments);
    free(parts->dims);
    free(parts->pools);
    free(parts->slots);
    *parts = (struct hy_request_parts){0};
}

static const struct hy_request_datum *get(struct hy_element_reader *reader, enum hy_request_tag tag)
{
    const union hy_element *element = hy_element_get(reader, (uint8_t)tag);
    return element ? &element->request : NULL;
}

static uint64_t both(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

static bool read_location(struct hy_element_reader *reader, const struct hy_request_datum *datum,
                          uint32_t pool_count, struct hy_location *location)
{
    struct hy_location at = {
        .pool = datum->operand.pool,
        .offset = datum->operand.offset,
        .length = datum->operand.length,
    };
    const struct hy_request_datum *rest = get(reader, HY_REQUEST_REST);
    if (rest) {
        at.padding = rest->rest.padding;
        at.offset = both(datum->operand.offset, rest->rest.offset_high);
        at.length = both(datum->operand.length, rest->rest.length_high);
    }
    if (at.pool >= pool_count && !(at.pool == 0 && at.length == 0))
        return false;
    *location = at;
    return true;
}

static bool is_all_zero(const struct hy_request_datum *datum)
{
    return datum->operand.pool == 0 && datum->operand.offset == 0 && datum->operand.length == 0 &&
           datum->operand.rank == 0;
}

/* `dims` receives the dimensions of the argument. */
static bool read_argument(struct hy_element_reader *reader, enum hy_request_tag tag,
                          uint32_t pool_count, uint32_t *dims, struct hy_argument *argument)
{
    struct hy_argument read = {0};
    const struct hy_request_datum *datum = get(reader, tag);
    if (!datum || !hy_request_operand_fits(datum))
        return false;
    if (datum->operand.no_value) {
        read.flags = HY_ARGUMENT_NO_VALUE;
        *argument = read;
        return is_all_zero(datum);
    }
    if (!read_location(reader, datum, pool_count, &read.location))
        return false;
    for (uint32_t axis = 0; axis < datum->operand.rank; axis++) {
        const struct hy_request_datum *dimension = get(reader, tag + 1);
        if (!dimension)
            return false;
        dims[axis] = dimension->dimension;
    }
    read.rank = datum->operand.rank;
    read.dims = read.rank > 0 ? dims : NULL;
    *argument = read;
    return true;
}

static bool read_arguments(struct hy_element_reader *reader, struct hy_request_parts *parts)
{
    uint32_t *dims = parts->dims;

    for (uint32_t i = 0; i < parts->input_count + parts->output_count; i++) {
        const enum hy_request_tag tag =
            i < parts->input_count ? HY_REQUEST_INPUT : HY_REQUEST_OUTPUT;
        if (!read_argument(reader, tag, parts->pool_count, dims, &parts->arguments[i]))
            return false;
        dims += parts->arguments[i].rank;
    }
    return true;
}

static bool read_pools(struct hy_element_reader *reader, struct hy_request_parts *parts)
{
    for (uint32_t i = 0; i < parts->pool_count; i++) {
        const struct hy_request_datum *slot = get(reader, HY_REQUEST_SLOT);
        const struct hy_request_datum *buffer = slot ? NULL : get(reader, HY_REQUEST_BUFFER);
        if (slot ? !hy_request_slot_fits(slot) : !buffer)
            return false;
        parts->slots[i] = slot ? slot->slot : HY_QUEUE_NO_SLOT;
        parts->pools[i] = (struct hy_pool){
            .kind = HY_POOL_BUFFER,
            .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
            .fd = -1,
            .buffer_token = slot ? 0 : buffer->buffer_token,
        };
    }
    return true;
}

static bool read_options(struct hy_element_reader *reader, struct hy_request_parts *parts)
{
    const struct hy_request_datum *measure = get(reader, HY_REQUEST_MEASURE);
    if (!measure || !hy_request_measure_fits(measure))
        return false;
    const struct hy_request_datum *limits = get(reader, HY_REQUEST_LIMITS);
    const struct hy_request_datum *notices = get(reader, HY_REQUEST_NOTICES);

    parts->measure = (uint32_t)measure->measure;
    parts->deadline = HY_NO_DEADLINE;
    parts->loop_timeout = HY_LOOP_TIMEOUT_DEFAULT;
    if (limits) {
        parts->deadline = (int64_t)both(limits->limits.deadline_low, limits->limits.deadline_high);
        parts->loop_timeout =
            both(limits->limits.loop_timeout_low, limits->limits.loop_timeout_high);
    }
    parts->has_notices = notices != NULL;
    parts->notices = notices ? notices->notices : 0;
    return true;
}

/* Checks the counts against the number of elements before any use. */
static bool read_counts(struct hy_element_reader *reader, uint32_t count,
                        struct hy_request_parts *parts)
{
    const struct hy_request_datum *packet = get(reader, HY_REQUEST_PACKET);
    if (!packet || packet->packet.elements != count || count > parts->capacity)
        return false;
    const uint64_t least =
        UINT64_C(2) + packet->packet.inputs + packet->packet.outputs + packet->packet.pools;
    if (least > count)
        return false;
    parts->input_count = packet->packet.inputs;
    parts->output_count = packet->packet.outputs;
    parts->pool_count = packet->packet.pools;
    return true;
}

bool hy_request_packet_decode(const union hy_element *elements, uint32_t count,
                              struct hy_request_parts *parts)
{
    struct hy_element_reader reader = {elements, elements + count};

    return read_counts(&reader, count, parts) && read_arguments(&reader, parts) &&
           read_pools(&reader, parts) && read_options(&reader, parts) && reader.next == reader.end;
}
