#include "plugins/service/queue/elements.h"
#include "plugins/service/queue/request_packet.h"

static struct hy_request_datum *put(struct hy_element_writer *writer, enum hy_request_tag tag)
{
    return &hy_element_put(writer, (uint8_t)tag)->request;
}

static uint32_t high(uint64_t value)
{
    return (uint32_t)(value >> 32);
}

static void put_location(struct hy_element_writer *writer, struct hy_request_datum *datum,
                         const struct hy_request *request, const struct hy_argument *argument)
{
    const struct hy_location *at = &argument->location;

    datum->operand.pool = at->pool < request->pool_count ? at->pool : 0;
    datum->operand.offset = (uint32_t)at->offset;
    datum->operand.length = (uint32_t)at->length;
    datum->operand.rank = argument->rank;
    if (at->padding != 0 || high(at->offset) != 0 || high(at->length) != 0) {
        struct hy_request_datum *rest = put(writer, HY_REQUEST_REST);
        rest->rest.offset_high = high(at->offset);
        rest->rest.length_high = high(at->length);
        rest->rest.padding = at->padding;
    }
}

static bool is_expressible(const struct hy_request *request, const struct hy_argument *argument)
{
    const struct hy_location *at = &argument->location;

    return argument->rank <= HY_MAX_RANK && (at->pool < request->pool_count || at->length == 0);
}

/* The tag of a dimension is the tag of its operand plus 1. */
static bool put_arguments(struct hy_element_writer *writer, const struct hy_request *request,
                          const struct hy_argument *arguments, uint32_t count,
                          enum hy_request_tag tag)
{
    for (uint32_t i = 0; i < count; i++) {
        struct hy_request_datum *datum = put(writer, tag);
        if (arguments[i].flags & HY_ARGUMENT_NO_VALUE) {
            datum->operand.no_value = 1;
            continue;
        }
        if (!is_expressible(request, &arguments[i]))
            return false;
        put_location(writer, datum, request, &arguments[i]);
        for (uint32_t axis = 0; axis < arguments[i].rank; axis++)
            put(writer, tag + 1)->dimension = arguments[i].dims[axis];
    }
    return true;
}

/* Returns whether both processes know the memory by an id. Images need more data than a packet
 * has. */
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

static bool put_pools(struct hy_element_writer *writer, const struct hy_request *request)
{
    for (uint32_t i = 0; i < request->pool_count; i++) {
        const struct hy_pool *pool = &request->pools[i];
        if (!has_name(pool))
            return false;
        if (pool->kind == HY_POOL_BUFFER)
            put(writer, HY_REQUEST_BUFFER)->buffer_token = pool->buffer_token;
        else
            put(writer, HY_REQUEST_SLOT);
    }
    return true;
}

/* Number of elements after the pools, before notices are added. */
enum { OPTIONS = 2 };

static void put_options(struct hy_element_writer *writer, const struct hy_run_options *options)
{
    put(writer, HY_REQUEST_MEASURE)->measure = options->measure != 0;

    struct hy_request_datum *limits = put(writer, HY_REQUEST_LIMITS);
    limits->limits.deadline_low = (uint32_t)(uint64_t)options->deadline;
    limits->limits.deadline_high = high((uint64_t)options->deadline);
    limits->limits.loop_timeout_low = (uint32_t)options->loop_timeout;
    limits->limits.loop_timeout_high = high(options->loop_timeout);
}

uint64_t hy_request_packet_encode(const struct hy_request *request,
                                  const struct hy_run_options *options, union hy_element *elements,
                                  uint32_t space)
{
    struct hy_element_writer writer = {.elements = elements, .space = space};
    struct hy_request_datum *packet = put(&writer, HY_REQUEST_PACKET);

    packet->packet.inputs = request->input_count;
    packet->packet.outputs = request->output_count;
    packet->packet.pools = request->pool_count;
    if (options->hint_count > 0 ||
        !put_arguments(&writer, request, request->inputs, request->input_count, HY_REQUEST_INPUT) ||
        !put_arguments(&writer, request, request->outputs, request->output_count,
                       HY_REQUEST_OUTPUT) ||
        !put_pools(&writer, request))
        return 0;
    put_options(&writer, options);
    packet->packet.elements = (uint32_t)writer.count;
    return writer.count;
}

void hy_request_packet_set_slots(const struct hy_request *request, const int32_t *slots,
                                 union hy_element *elements)
{
    union hy_element *pools =
        elements + elements->request.packet.elements - OPTIONS - request->pool_count;

    for (uint32_t i = 0; i < request->pool_count; i++) {
        if (pools[i].request.tag == HY_REQUEST_SLOT)
            pools[i].request.slot = slots[i];
    }
}

void hy_request_packet_add_notices(uint32_t notices, union hy_element *elements)
{
    struct hy_element_writer writer = {.elements = elements + elements->request.packet.elements++,
                                       .space = 1};

    put(&writer, HY_REQUEST_NOTICES)->notices = notices;
}
