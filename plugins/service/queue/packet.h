#ifndef HY_PLUGINS_SERVICE_QUEUE_PACKET_H
#define HY_PLUGINS_SERVICE_QUEUE_PACKET_H

#include "plugins/service/queue/ring.h"

/* What is next in a ring. Packets are put in whole, so there is never a part of one. */
enum hy_packet {
    HY_PACKET_NONE,
    HY_PACKET_WHOLE,
    HY_PACKET_CLOSING,   /* the peer has ended the burst */
    HY_PACKET_MALFORMED, /* no start of a packet, or less than it claims: nobody knows where the
                            next one begins; all was taken away */
    HY_PACKET_BROKEN,    /* the ring is */
};

/* Takes the next packet: copies it to `elements`, which has room for a full ring, and tells how
 * many they are. Only the first element has been looked at. */
enum hy_packet hy_request_packet_take(struct hy_ring *ring, union hy_element *elements,
                                      uint32_t *count);
enum hy_packet hy_result_packet_take(struct hy_ring *ring, union hy_element *elements,
                                     uint32_t *count);

/* Tells the peer that the burst is closed, unless the ring has no room for that. */
void hy_packet_close(struct hy_ring *ring);

#endif
