#include "plugins/service/queue/request_packet.h"

/* Where the next element goes. */
struct writer {
    union hy_element *next;
};

/* All bytes of an element are set: what lies in ours must not show. */
static struct hy_request_datum *put(struct writer *writer, enum hy_request_tag tag)
{
    union hy_element *element = writer->next++;

    *element = (union hy_element){.words = {0}};
    element->request.tag = (uint8_t)tag;
    return &element->request;
}

static uint32_t high(uint64_t value)
{
    return (uint32_t)(value >> 32);
}

static bool has_rest(const struct hy_argument *argument)
{
    const struct hy_location *at = &argument->location;

    return at->padding != 0 || high(at->offset) != 0 || high(at->length) != 0;
}

static bool is_expressible(const struct hy_request *request, const struct hy_argument *argument)
{
    const struct hy_location *at = &argument->location;

    return argument->rank <= HY_MAX_RANK && (at->pool < request->pool_count || at->length == 0);
}

static bool measure_arguments(const struct hy_request *request, const struct hy_argument *arguments,
                              uint32_t count, uint64_t *elements)
{
    for (uint32_t i = 0; i < count; i++) {
        *elements += 1;
        if (arguments[i].flags & HY_ARGUMENT_NO_VALUE)
            continue;
        if (!is_expressible(request, &arguments[i]))
            return false;
        *elements += arguments[i].rank + has_rest(&arguments[i]);
    }
    return true;
}

/* Memory that the two processes know by a name; images have more to say than a packet has. */
static bool has_name(const struct hy_pool *pool)
{
    switch (pool->kind) {
    case HY_POOL_ASHMEM:
    case HY_POOL_MMAP_FD:
    case HY_POOL_HARDWARE_BUFFER_BLOB:
        return pool->id != 0;
    default:
        return pool->kind == HY_POOL_BUFFER;
    }
}

bool hy_request_packet_measure(const struct hy_request *request,
                               const struct hy_run_options *options, uint64_t *elements)
{
    uint64_t count = 3 + (uint64_t)request->pool_count; /* the packet, measure, limits */

    if (options->hint_count > 0)
        return false;
    for (uint32_t i = 0; i < request->pool_count; i++) {
        if (!has_name(&request->pools[i]))
            return false;
    }
    if (!measure_arguments(request, request->inputs, request->input_count, &count) ||
        !measure_arguments(request, request->outputs, request->output_count, &count))
        return false;
    *elements = count;
    return true;
}

static void put_location(struct writer *writer, struct hy_request_datum *datum,
                         const struct hy_request *request, const struct hy_argument *argument)
{
    const struct hy_location *at = &argument->location;

    datum->operand.pool = at->pool < request->pool_count ? at->pool : 0;
    datum->operand.offset = (uint32_t)at->offset;
    datum->operand.length = (uint32_t)at->length;
    datum->operand.rank = argument->rank;
    if (has_rest(argument)) {
        struct hy_request_datum *rest = put(writer, HY_REQUEST_REST);
        rest->rest.offset_high = high(at->offset);
        rest->rest.length_high = high(at->length);
        rest->rest.padding = at->padding;
    }
}

/* The tag of a dimension is the one behind that of its operand. */
static void put_arguments(struct writer *writer, const struct hy_request *request,
                          const struct hy_argument *arguments, uint32_t count,
                          enum hy_request_tag tag)
{
    for (uint32_t i = 0; i < count; i++) {
        struct hy_request_datum *datum = put(writer, tag);
        if (arguments[i].flags & HY_ARGUMENT_NO_VALUE) {
            datum->operand.no_value = 1;
            continue;
        }
        put_location(writer, datum, request, &arguments[i]);
        for (uint32_t axis = 0; axis < arguments[i].rank; axis++)
            put(writer, tag + 1)->dimension = arguments[i].dims[axis];
    }
}

static void put_pools(struct writer *writer, const struct hy_request_source *source)
{
    for (uint32_t i = 0; i < source->request->pool_count; i++) {
        const struct hy_pool *pool = &source->request->pools[i];
        if (pool->kind == HY_POOL_BUFFER)
            put(writer, HY_REQUEST_BUFFER)->buffer_token = pool->buffer_token;
        else
            put(writer, HY_REQUEST_SLOT)->slot = source->slots[i];
    }
}

static void put_options(struct writer *writer, const struct hy_run_options *options)
{
    put(writer, HY_REQUEST_MEASURE)->measure = options->measure != 0;

    struct hy_request_datum *limits = put(writer, HY_REQUEST_LIMITS);
    limits->limits.deadline_low = (uint32_t)(uint64_t)options->deadline;
    limits->limits.deadline_high = high((uint64_t)options->deadline);
    limits->limits.loop_timeout_low = (uint32_t)options->loop_timeout;
    limits->limits.loop_timeout_high = high(options->loop_timeout);
}

uint32_t hy_request_packet_encode(const struct hy_request_source *source,
                                  union hy_element *elements)
{
    const struct hy_request *request = source->request;
    struct writer writer = {elements};
    struct hy_request_datum *packet = put(&writer, HY_REQUEST_PACKET);

    packet->packet.inputs = request->input_count;
    packet->packet.outputs = request->output_count;
    packet->packet.pools = request->pool_count;
    put_arguments(&writer, request, request->inputs, request->input_count, HY_REQUEST_INPUT);
    put_arguments(&writer, request, request->outputs, request->output_count, HY_REQUEST_OUTPUT);
    put_pools(&writer, source);
    put_options(&writer, source->options);
    if (source->notices)
        put(&writer, HY_REQUEST_NOTICES)->notices = *source->notices;
    packet->packet.elements = (uint32_t)(writer.next - elements);
    return packet->packet.elements;
}
