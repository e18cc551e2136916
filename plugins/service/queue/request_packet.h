#ifndef HY_PLUGINS_SERVICE_QUEUE_REQUEST_PACKET_H
#define HY_PLUGINS_SERVICE_QUEUE_REQUEST_PACKET_H

#include <stdbool.h>

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/service/queue/layout.h"

/* Requests as packets of typed elements: docs/queue-format.md. */

#define HY_QUEUE_NO_SLOT (-1)

/* Writes the packet of a request into `room` elements: all but slots and notices. Gives the number
 * of its elements; above `room`: too many, and what was written is no packet; 0: no packet can say
 * this request. */
uint64_t hy_request_packet_encode(const struct hy_request *request,
                                  const struct hy_run_options *options, union hy_element *elements,
                                  uint32_t room);

/* Puts the slots of the pools into that packet, one per pool; those of buffers are not looked at.
 */
void hy_request_packet_set_slots(const struct hy_request *request, const int32_t *slots,
                                 union hy_element *elements);

/* Adds how many notices there have been, for which there is room. */
void hy_request_packet_add_notices(uint32_t notices, union hy_element *elements);

/* What a packet says. The arrays belong to the struct and hold what fits into a ring. */
struct hy_request_parts {
    struct hy_argument *arguments; /* the inputs, then the outputs */
    uint32_t *dims;                /* theirs */
    struct hy_pool *pools;         /* buffers are there; the others are for the caller to fill in */
    int32_t *slots;                /* one per pool; NO_SLOT: a buffer */
    uint32_t capacity;
    uint32_t input_count, output_count, pool_count;
    uint32_t measure;
    int64_t deadline;
    uint64_t loop_timeout;
    uint32_t notices;
    bool has_notices;
};

/* Reserves the arrays for packets of at most `capacity` elements. Error: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_request_parts_init(struct hy_request_parts *parts, uint32_t capacity,
                                                 struct hy_error *err);
void hy_request_parts_finish(struct hy_request_parts *parts); /* takes zeroed ones, too */

/*
 * Reads `count` <= capacity elements in private memory. False: they break the format, and nothing
 * in `parts` counts. What the numbers mean is not checked, but pools are in range.
 */
bool hy_request_packet_decode(const union hy_element *elements, uint32_t count,
                              struct hy_request_parts *parts);

#endif
