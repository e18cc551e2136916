#ifndef HY_PLUGINS_SERVICE_QUEUE_REQUEST_PACKET_H
#define HY_PLUGINS_SERVICE_QUEUE_REQUEST_PACKET_H

#include <stdbool.h>

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/service/queue/layout.h"

/* Requests as packets of typed elements, see docs/queue-format.md. */

#define HY_QUEUE_NO_SLOT (-1)

/* Encodes a request without slots and notices. `elements` has capacity for `space` elements.
 * Returns the number of elements of the packet. A number above `space`: the packet is too large,
 * and `elements` is not valid. 0: no packet can express the request. */
uint64_t hy_request_packet_encode(const struct hy_request *request,
                                  const struct hy_run_options *options, union hy_element *elements,
                                  uint32_t space);

/* Stores the slots of the pools in the packet, one slot per pool; entries of buffers are ignored.
 * Called before hy_request_packet_add_notices. */
void hy_request_packet_set_slots(const struct hy_request *request, const int32_t *slots,
                                 union hy_element *elements);

/* Appends the number of notices so far. `elements` must have capacity for another element. */
void hy_request_packet_add_notices(uint32_t notices, union hy_element *elements);

/* A decoded request. The struct owns the arrays, which are large enough for any packet of a
 * ring. */
struct hy_request_parts {
    struct hy_argument *arguments; /* the inputs, then the outputs */
    uint32_t *dims;                /* dimensions of the arguments */
    struct hy_pool *pools;         /* buffers are filled in; the caller fills in the other pools */
    int32_t *slots;                /* one per pool; HY_QUEUE_NO_SLOT: a buffer */
    uint32_t capacity;
    uint32_t input_count, output_count, pool_count;
    uint32_t measure;
    int64_t deadline;
    uint64_t loop_timeout;
    uint32_t notices;
    bool has_notices;
};

/* Allocates the arrays for packets of at most `capacity` elements. Error: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_request_parts_init(struct hy_request_parts *parts, uint32_t capacity,
                                                 struct hy_error *err);
void hy_request_parts_finish(struct hy_request_parts *parts); /* accepts a zeroed struct */

/*
 * Decodes `count` <= capacity elements in private memory. False: the elements break the format, and
 * the content of `parts` is undefined. Pool indices are checked; the meaning of other numbers is
 * not.
 */
bool hy_request_packet_decode(const union hy_element *elements, uint32_t count,
                              struct hy_request_parts *parts);

#endif
