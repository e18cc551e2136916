#ifndef HY_PLUGINS_SERVICE_QUEUE_PACKET_H
#define HY_PLUGINS_SERVICE_QUEUE_PACKET_H

#include "plugins/service/queue/ring.h"

/* Kinds of the next packet in a ring. A writer adds only whole packets. */
enum hy_packet {
    HY_PACKET_NONE,
    HY_PACKET_WHOLE,
    HY_PACKET_CLOSING,   /* the peer has ended the burst */
    HY_PACKET_MALFORMED, /* not the start of a packet, or shorter than its header claims. The start
                            of the next packet is unknown, so all elements were dropped */
    HY_PACKET_BROKEN,    /* the ring is broken */
};

/* Reads the next packet. `elements` has capacity for a full ring, and `*count` is the number of
 * elements read. Only the first element has been checked. */
enum hy_packet hy_request_packet_pop(struct hy_ring *ring, union hy_element *elements,
                                     uint32_t *count);
enum hy_packet hy_result_packet_pop(struct hy_ring *ring, union hy_element *elements,
                                    uint32_t *count);

/* Notifies the peer that the burst is closed, unless the ring is full. */
void hy_packet_close(struct hy_ring *ring);

#endif
