#include "plugins/service/queue/packet.h"

static enum hy_packet drop(struct hy_ring *ring, uint32_t count)
{
    hy_ring_skip(ring, count);
    hy_ring_give_back(ring);
    return HY_PACKET_MALFORMED;
}

/* The first element has been read. `fill` counts the elements in the ring, the first one
 * included. */
static enum hy_packet pop_rest(struct hy_ring *ring, uint32_t fill, uint32_t claimed,
                               union hy_element *elements, uint32_t *count)
{
    if (claimed > fill)
        return drop(ring, fill - 1);
    if (claimed > 1)
        hy_ring_pop(ring, elements + 1, claimed - 1);
    hy_ring_give_back(ring);
    *count = claimed;
    return claimed == 0 ? HY_PACKET_CLOSING : HY_PACKET_WHOLE;
}

static enum hy_packet pop_first(struct hy_ring *ring, union hy_element *elements, uint32_t *fill)
{
    const enum hy_ring_state state = hy_ring_fill(ring, fill);
    if (state != HY_RING_DONE)
        return state == HY_RING_WAIT ? HY_PACKET_NONE : HY_PACKET_BROKEN;
    hy_ring_pop(ring, elements, 1);
    return HY_PACKET_WHOLE;
}

enum hy_packet hy_request_packet_pop(struct hy_ring *ring, union hy_element *elements,
                                     uint32_t *count)
{
    uint32_t fill;
    const enum hy_packet first = pop_first(ring, elements, &fill);

    if (first != HY_PACKET_WHOLE)
        return first;
    if (elements[0].request.tag != HY_REQUEST_PACKET)
        return drop(ring, fill - 1);
    return pop_rest(ring, fill, elements[0].request.packet.elements, elements, count);
}

enum hy_packet hy_result_packet_pop(struct hy_ring *ring, union hy_element *elements,
                                    uint32_t *count)
{
    uint32_t fill;
    const enum hy_packet first = pop_first(ring, elements, &fill);

    if (first != HY_PACKET_WHOLE)
        return first;
    if (elements[0].result.tag != HY_RESULT_PACKET)
        return drop(ring, fill - 1);
    return pop_rest(ring, fill, elements[0].result.packet.elements, elements, count);
}

/* The closing packet claims no elements but uses one element of the ring. Its tag is 0 in both
 * rings. */
void hy_packet_close(struct hy_ring *ring)
{
    const union hy_element closing = {.words = {0}};

    (void)hy_ring_write(ring, &closing, 1);
}
